"""What somebody states: facts, preferences and profiles, each a candidate that stands for itself. Pure."""

import re
from collections.abc import Collection, Sequence
from dataclasses import replace

from memory.distillation import quarantine, score, statements, telling
from memory.distillation.concise import concise, without_address
from memory.distillation.data import Candidate, Dropped, Turn
from memory.distillation.dates import absolute
from memory.distillation.entities import entities
from memory.distillation.evidence import condense, is_technical
from memory.language import CJK, is_question, language_of, sentences, shorten
from memory.noise import is_noise, without_opening
from memory.vocabulary import Kind, Method

_COMMA = re.compile(r"[，,；;]\s*(?!\d)")
_WORD = re.compile(r"[^\W_]+")
_ADDRESSED = re.compile(
    r"\b(?:you|your|yours|you're|you've|you'd|you'll)\b|^(?:sounds|looks|love|so|glad|hope|good|great|nice|what a|such a|enjoy|keep)\b",
    re.IGNORECASE,
)
_SECOND_PERSON = re.compile(r"\b(?:you|your|yours|you're|you've|you'd|you'll|y'all)\b|[你您]", re.IGNORECASE)
# Who begins with it answers what was asked, and is not understood without it.
_POINTING = re.compile(
    r"(?:(?:yes|yeah|no|nope),? |it|it's|that|that's|this|those|these|they|they're|he|he's|she|she's|his|her|its|their|there|both|neither|either)\b|[它他她]|这|那|是|在|有|因为|主要|大概|一共|共|不是|没有|叫",
    re.IGNORECASE,
)
SHORT_CRY = 4
# What is said to the other one tells something only if so many of its words do.
LEAST_TO_OTHERS = 6
# A statement of fewer words, or Chinese characters, says too little to stand for itself.
LEAST_WORDS = 3
LEAST_CHARACTERS = 5
# An answer that is shorter is kept with its question.
SHORT_WORDS = 9
SHORT_CHARACTERS = 14
LONGEST = 1000
LONGEST_QUESTION = 120
LONGEST_READ = 8000


def among_people(turn: Turn, before: Turn | None, names: Collection[str]) -> list[Candidate | Dropped]:
    """What a message among people states: all of it that tells something, as one candidate.

    Args:
        before: the message before it: the question that a short answer belongs to.
        names: those who talk: to be spoken to tells nothing.
    """
    said = _sentences(turn)
    bare = [without_address(each, names) for each in map(_bare, said) if each]
    told = [concise(each) for each in bare if each and (statements.read(each) or _tells_something(each))]
    if not told:
        return [_too_little(turn) if any(bare) else _dropped(turn, said)] if said else []
    question = _question(before) if before and (_is_short(" ".join(told)) or _POINTING.match(told[0])) else ""
    other = next(iter(names)) if len(names) == 1 and _SECOND_PERSON.search(" ".join(told)) else ""
    made = _candidate(turn, told, question, statements.read(told[0]) if len(told) == 1 else None, other)
    if before and question:  # what is told came from both
        made = replace(made, sources=(before.id, turn.id))
    return [made] if _says_enough(made) else [_too_little(turn)]


def to_assistant(turn: Turn, *, answered: bool) -> list[Candidate | Dropped]:
    """What a message to an assistant states: what a rule knows, each for itself; and what somebody tells of themselves
    without asking for anything. The rest of a request is no news when it is over.

    Args:
        answered: the message is part of an exchange that was kept, which tells the same.
    """
    said = _sentences(turn)
    bare = [each for each in map(_bare, said) if each]
    if not bare:
        return [_dropped(turn, said)] if said else []
    read = {each: found for each in bare if (found := statements.read(each)) and not (answered and found.is_of_case)}
    made: list[Candidate | Dropped] = [_candidate(turn, [each], "", found) for each, found in read.items()]
    asks = any(is_question(sentence) or statements.is_request(sentence) for sentence in said)
    if answered or asks:
        return made
    told = [each for each in bare if each not in read and _tells(each)]
    whole = _candidate(turn, [concise(each) for each in told], "", None) if told else None
    if whole is None:
        return made
    return [*made, whole] if _says_enough(whole) else made or [_too_little(turn)]


def _sentences(turn: Turn) -> list[str]:
    return sentences(shorten(condense(turn.text), LONGEST_READ))


def _bare(sentence: str) -> str:
    """What a sentence states, without what it begins with and what it asks; empty if that is nothing."""
    return "" if is_noise(sentence) else without_opening(without_question(sentence))


def _tells_something(sentence: str) -> bool:
    return not is_courtesy(sentence) and telling.tells(sentence, first_hand=statements.is_first_hand(sentence))


def _tells(sentence: str) -> bool:
    return statements.is_first_hand(sentence) and not is_technical(sentence) and _tells_something(sentence)


def _dropped(turn: Turn, said: Sequence[str]) -> Dropped:
    if any(is_question(sentence) for sentence in said):
        return Dropped("question", "It asks and states nothing.", shorten(turn.text, 200), (turn.id,))
    why = "It holds nothing but greetings, thanks, acknowledgements or filler."
    return Dropped("noise", why, shorten(turn.text, 200), (turn.id,))


def _too_little(turn: Turn) -> Dropped:
    return Dropped("too-little", "It says too little to stand for itself.", shorten(turn.text, 200), (turn.id,))


def without_question(sentence: str) -> str:
    """What a sentence states before it asks: "It opens at nine, will you come?" states "It opens at nine"."""
    if not is_question(sentence):
        return sentence
    clauses = _COMMA.split(sentence)[:-1]
    while clauses and (is_noise(clauses[-1]) or is_question(clauses[-1])):
        clauses.pop()
    return ("，" if language_of(sentence) == "zh" else ", ").join(clauses)


def is_courtesy(sentence: str) -> bool:
    """Whether a sentence turns to the other one and tells nothing: "You'd be great!", "Good luck with your class!"."""
    if statements.is_first_hand(sentence) or any(character.isdigit() for character in sentence):
        return False
    short_cry = (
        sentence.endswith("!") and len(_WORD.findall(sentence)) <= SHORT_CRY and not telling.is_specific(sentence)
    )
    return short_cry or (bool(_ADDRESSED.search(sentence)) and telling.weight(sentence) < LEAST_TO_OTHERS)


def _candidate(
    turn: Turn, said: Sequence[str], question: str, read: statements.Statement | None, other: str = ""
) -> Candidate:
    language = language_of(" ".join(said))
    glue = "" if language == "zh" else " "
    text = absolute(glue.join(said), turn.occurred_at)
    text = shorten(text, LONGEST)
    kind = read.kind if read else Kind.FACT
    speaker = f"{turn.name or 'User'} to {other}" if other else turn.name or "User"
    solution = f"{speaker}: {text}"
    importance, weighty = score.importance(text, kind, evidence=is_technical(text), effort=1)
    first_hand = statements.is_first_hand(text)
    confidence, sure = score.confidence(text, Method.PATTERN, first_hand=first_hand, worked=read is not None)
    subject = f"{turn.name or 'user'}: {read.subject}".lower() if read and read.subject else ""
    return Candidate(
        kind=kind,
        method=Method.PATTERN,
        problem=question or (read.topic if read and kind == Kind.PROCEDURE else ""),
        solution=solution,
        language=language,
        entities=entities(solution),
        subject=subject,
        value=read.value if read else "",
        confidence=confidence,
        importance=importance,
        terms={**weighty, **sure},
        sources=(turn.id,),
        occurred_at=turn.occurred_at,
        personal=True,
        quarantine=quarantine.reason(text),
    )


def _question(before: Turn) -> str:
    asked = [
        sentence for sentence in sentences(before.text[-2000:]) if is_question(sentence) and not is_noise(sentence)
    ]
    return shorten(without_opening(asked[-1]), LONGEST_QUESTION) if asked else ""


def _is_short(text: str) -> bool:
    return len(CJK.findall(text)) < SHORT_CHARACTERS and len(_WORD.findall(text)) < SHORT_WORDS


def _says_enough(made: Candidate) -> bool:
    text = made.solution.partition(": ")[2]
    enough = len(CJK.findall(text)) >= LEAST_CHARACTERS or len(_WORD.findall(text)) >= LEAST_WORDS
    return enough or bool(made.problem and _WORD.search(text))
