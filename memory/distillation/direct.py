"""An explicit problem and its resolution: an exchange becomes one candidate. Pure."""

import json
import re
from collections.abc import Sequence

from memory.distillation import quarantine, score
from memory.distillation.data import Candidate, Dropped, Rules, Turn
from memory.distillation.entities import entities
from memory.distillation.evidence import condense, errors, is_technical
from memory.distillation.exchanges import Exchange, says_nothing
from memory.distillation.language import language_of, sentences, shorten
from memory.distillation.noise import is_noise, without_opening
from memory.distillation.scope import is_personal
from memory.vocabulary import Kind, MessageRole, Method

# Tools that only look: their names are enough, since looking again is what the next one has to do.
_LOOKS = re.compile(
    r"^(?:get|list|search|find|read|view|show|open|lookup|look_up|fetch|check|query|describe|inspect|think|ls|cat|grep|scroll|goto|head|tail|browse|retrieve)(?:$|[_\W])",
    re.IGNORECASE,
)
_STEPS = re.compile(r"^\s*(?:\d+[.)、]|[-*•]|(?:首先|其次|然后|接着|最后|第[一二三四五六七八九十]步))", re.MULTILINE)
_HOW = re.compile(r"\bhow (?:do|can|should|would|to)\b|\bsteps? (?:to|for)\b|怎么|如何|怎样|步骤|流程", re.IGNORECASE)
_REFUSAL = re.compile(
    r"\b(?:i(?:'m| am) (?:sorry|unable|afraid|not able)|i can(?:not|'t)|unfortunately|it(?:'s| is) not possible)\b|抱歉|无法|不能(?:为您|帮)",
    re.IGNORECASE,
)
MOST_STEPS = 40
ARGUMENT_CHARACTERS = 160
STEP_CHARACTERS = 600
FAILURES = 2
FAILURE_CHARACTERS = 160


def candidate(exchange: Exchange, rules: Rules, *, failed: bool) -> Candidate | Dropped:
    """What an exchange teaches, or why it teaches nothing; `failed` says that the whole run came to no good end."""
    sources = tuple(turn.id for turn in exchange.turns)
    problem = _problem(exchange.asks, rules)
    tried = _tried(exchange)
    steps = _steps(exchange.work)
    answer = _answer(exchange.work)
    whole = "\n".join(turn.text for turn in exchange.turns)
    if not problem:
        return Dropped("no-problem", "Nobody said what the problem was.", shorten(whole, 200), sources)
    if not answer and not steps:
        return Dropped(
            "unanswered", "Nothing was answered or done that could be a solution.", shorten(problem, 200), sources
        )
    solution = _solution(answer, steps, tried, rules)
    kind = Kind.PROCEDURE if _HOW.search(problem) and len(_STEPS.findall(answer)) >= 3 else Kind.SOLUTION
    text = f"{problem}\n{solution}"
    importance, weighty = score.importance(
        text, kind, evidence=bool(steps) or is_technical(whole), effort=len(exchange.turns)
    )
    confidence, sure = score.confidence(
        text,
        Method.DIRECT,
        confirmed=exchange.confirmed,
        worked=bool(steps) and not failed,
        tried_in_vain=len(exchange.failed),
        refused=bool(_REFUSAL.search(answer[:200])) and not steps,
        unfinished=failed,
    )
    return Candidate(
        kind=kind,
        method=Method.DIRECT,
        problem=problem,
        solution=solution,
        language=language_of(text),
        entities=entities(text),
        subject="",
        value="",
        confidence=confidence,
        importance=importance,
        terms={**weighty, **sure},
        sources=sources,
        occurred_at=exchange.turns[-1].occurred_at,
        personal=is_personal(kind, text, worked=bool(steps)),
        quarantine=quarantine.reason(text),
    )


def _problem(asks: Sequence[Turn], rules: Rules) -> str:
    """What was asked: the first message that says something, and what was told on top of it."""
    told = [_said(turn.text) for turn in asks]
    first, *more = [text for text in told if text] or [""]
    room = rules.problem_characters
    problem = shorten(first, room)
    for text in more:
        room = rules.problem_characters - len(problem) - 1
        if room < 40:
            break
        problem = f"{problem}\n{shorten(text, min(room, 240))}"
    return problem


def _said(text: str) -> str:
    """A message without its noise, its evidence in short, line by line."""
    lines = []
    for line in condense(text).splitlines():
        kept = [without_opening(each) for each in sentences(line) if not is_noise(each)]
        if kept:
            lines.append(("" if language_of(line) == "zh" else " ").join(kept))
    return "\n".join(lines)


def _answer(work: Sequence[Turn]) -> str:
    """The last message of the assistant that says something."""
    for turn in reversed(work):
        if turn.role == MessageRole.ASSISTANT and turn.text and not says_nothing(turn.text):
            return _said(turn.text)
    return ""


def _steps(work: Sequence[Turn]) -> list[str]:
    """The calls that worked, in order, each once: those that act with what they were given, those that look by name."""
    bad = {turn.tool_call_id for turn in work if turn.is_error and turn.tool_call_id}
    steps: dict[str, None] = {}
    for turn in work:
        for call in turn.tool_calls:
            if call.id in bad:
                continue
            steps.setdefault(call.name if _LOOKS.match(call.name) else f"{call.name}({_arguments(call.arguments)})")
    return list(steps)[-MOST_STEPS:]


def _arguments(text: str) -> str:
    """A call's arguments in short: every name and value, long values cut."""
    try:
        given = json.loads(text)
    except ValueError:
        return shorten(text.strip(), STEP_CHARACTERS)
    if not isinstance(given, dict):
        return shorten(text.strip(), STEP_CHARACTERS)
    told = (f"{name}={_value(value)}" for name, value in given.items() if value not in (None, "", [], {}))
    return ", ".join(told)[:STEP_CHARACTERS]


def _value(value: object) -> str:
    if isinstance(value, str):
        return shorten(" ".join(value.split()), ARGUMENT_CHARACTERS)
    if isinstance(value, list):
        return "[" + ", ".join(_value(each) for each in value) + "]"
    if isinstance(value, dict):
        return " ".join(_value(each) for each in value.values())
    return json.dumps(value)


def _tried(exchange: Exchange) -> list[str]:
    """What did not work: attempts that were rejected, and calls that failed, with their error."""
    found = [shorten(answer, FAILURE_CHARACTERS) for answer in map(_answer, exchange.failed) if answer]
    asked = {call.id: call.name for turn in exchange.work for call in turn.tool_calls}
    for turn in exchange.work:
        if turn.is_error:
            said = errors(turn.text, 1) or [turn.text.strip()]
            found.append(
                f"{asked.get(turn.tool_call_id, turn.name)}: {shorten(said[-1], FAILURE_CHARACTERS)}".lstrip(": ")
            )
    return list(dict.fromkeys(found))[-FAILURES:]


def _solution(answer: str, steps: Sequence[str], tried: Sequence[str], rules: Rules) -> str:
    parts = [shorten(answer, rules.solution_characters // 2 if steps else rules.solution_characters)] if answer else []
    if steps:
        parts.append("Steps: " + "; ".join(steps))
    if tried:
        parts.append("Did not work: " + "; ".join(tried))
    return "\n".join(parts)
