"""What was asked: the problem itself, out of all that was said around it. Pure."""

import re
from collections.abc import Sequence

from memory.distillation import statements
from memory.distillation.data import Rules, Turn
from memory.distillation.dates import absolute
from memory.distillation.evidence import condense, is_technical
from memory.distillation.merge import content_words
from memory.distillation.telling import is_specific
from memory.language import CJK, is_question, language_of, sentences, shorten
from memory.noise import is_noise, without_opening

# A prompt that was made from a template names its parts.
_TAGGED = re.compile(
    r"<((?:issue|problem|task|question|query|request|pr|bug|user_(?:query|request|input))(?:_\w{1,20})?)>(.*?)</\1>",
    re.DOTALL | re.IGNORECASE,
)
_HEADED = re.compile(
    r"^[#* ]{0,6}(?:ISSUE|PROBLEM|TASK|QUESTION|BUG REPORT|USER (?:REQUEST|QUERY)|(?i:problem statement|issue description|task description|problem description))[* ]{0,3}(?::|\n)\s*",
    re.MULTILINE,
)
_HOW_TO_WORK = re.compile(
    r"^[#* ]{0,6}(?:INSTRUCTIONS?|IMPORTANT|RULES|GUIDELINES|(?:RESPONSE|OUTPUT) FORMAT|(?i:instructions?):?\s*$)\b",
    re.MULTILINE,
)
_TROUBLE = re.compile(
    r"\b(?:(?:does|do|did|is|are|will)(?: not|n't) (?:work|start|load|open|run|build|compile|connect|respond|show|appear)\w*|won't \w+|error|exception|crash(?:es|ed|ing)?|bugs?|broken|stuck|unable to|can(?:'t|not) (?:log|open|access|connect|find|install|run|start|see|use|get|make|figure|build))\b"
    r"|报错|出错|错误|失败|异常|无法|打不开|连不上|不工作|怎么办|故障|卡住",
    re.IGNORECASE,
)
_POINTS = re.compile(
    r"\b(?:it|its|it's|this|that|these|those|they|them|their|there|the same|the other|another one|else)\b"
    r"|它|[这那该此](?:家|个|里|儿|些|边|处|种|间|座|款|件|位|次)|还有|其他|别的",
    re.IGNORECASE,
)
# "Our table keeps growing" tells of work; who only tells of themselves says "I" and "my".
_OF_ONESELF = re.compile(r"\b(?:i|i'm|i've|i'd|i'll|my|mine|me|myself)\b|我(?!们)", re.IGNORECASE)
SHORT_REQUEST = 120
# After so many words that name something, a pronoun has what it stands for in its own sentence.
NAMED_BEFORE = 4
SHORTEST = 40
LONGEST_ADDITION = 240


def of(asks: Sequence[Turn], rules: Rules) -> str:
    """What was asked: the first message that says something, and what was told on top of it."""
    told = [dated(said(stated(turn.text)), turn) for turn in asks]
    first, *more = list(dict.fromkeys(text for text in told if text)) or [""]
    problem = shorten(first, rules.problem_characters)
    for text in more:
        room = rules.problem_characters - len(problem) - 1
        if room < SHORTEST:
            break
        problem = f"{problem}\n{shorten(text, min(room, LONGEST_ADDITION))}"
    return problem


def dated(text: str, turn: Turn) -> str:
    """The turn's text with its relative dates written out; what is written to machines stays as it is."""
    return text if is_technical(turn.text) else absolute(text, turn.occurred_at)


def is_stated(asks: Sequence[Turn]) -> bool:
    """Whether these messages want something: a question, a request, trouble, work on machines. Somebody who only tells
    of themselves has no problem to be solved."""
    whole = "\n".join(turn.text for turn in asks)
    if not _OF_ONESELF.search(whole) or is_technical(whole) or _TROUBLE.search(whole):
        return True
    return any(
        is_question(sentence) or statements.is_request(sentence) for turn in asks for sentence in sentences(turn.text)
    )


def points_back(asks: Sequence[Turn]) -> bool:
    """Whether a short request speaks of "it" or "this one" and names nothing: without what it points at, nobody
    understands it."""
    text = said("\n".join(turn.text for turn in asks))
    return len(text) <= SHORT_REQUEST and not stands_alone(text) and not is_specific(text)


def stands_alone(text: str) -> bool:
    """Whether a text points at nothing outside of it. What stands so many words into it points at one of them: "the
    certificate was renewed, and browsers warn that it has expired"."""
    points = _POINTS.search(text)
    if points is None:
        return True
    named = {word for word in content_words(text[: points.start()]) if not CJK.match(word)}  # "这家" points back anyhow
    return len(named) >= NAMED_BEFORE


def stated(text: str) -> str:
    """The problem in a prompt that states it among instructions; any other text as it is."""
    tagged = _TAGGED.search(text)
    if tagged and len(tagged[2].strip()) >= SHORTEST:
        return tagged[2]
    headed = _HEADED.search(text)
    told = text[headed.end() :] if headed else text
    ends = _HOW_TO_WORK.search(told)
    if ends and len(told[: ends.start()].strip()) >= SHORTEST:
        told = told[: ends.start()]
    return told if len(told.strip()) >= SHORTEST else text


def said(text: str) -> str:
    """A message without its noise, its evidence in short, line by line."""
    lines = []
    for line in condense(text).splitlines():
        kept = [without_opening(each) for each in sentences(line) if not is_noise(each)]
        if kept:
            lines.append(("" if language_of(line) == "zh" else " ").join(kept))
    return "\n".join(lines)
