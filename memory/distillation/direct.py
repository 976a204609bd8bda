"""An explicit problem and its resolution: an exchange becomes one candidate. Pure."""

import json
import re
from collections.abc import Sequence

from memory.distillation import problem, quarantine, score
from memory.distillation.data import Candidate, Dropped, Rules, Turn
from memory.distillation.entities import entities
from memory.distillation.evidence import errors, is_output, is_technical
from memory.distillation.exchanges import Exchange, says_nothing
from memory.distillation.scope import is_personal
from memory.language import language_of, shorten
from memory.vocabulary import Kind, MessageRole, Method

# Tools that only look.
_LOOKS = re.compile(
    r"^(?:get|list|search|find|read|view|show|open|lookup|look_up|fetch|check|query|describe|inspect|think|ls|cat|grep|scroll|goto|head|tail|browse|retrieve)(?:$|[_\W])",
    re.IGNORECASE,
)
_STEPS = re.compile(r"^[ \t]*(?:\d+[.)、]|[-*•]|(?:首先|其次|然后|接着|最后|第[一二三四五六七八九十]步))", re.MULTILINE)
_HOW = re.compile(r"\bhow (?:do|can|should|would|to)\b|\bsteps? (?:to|for)\b|怎么|如何|怎样|步骤|流程", re.IGNORECASE)
_REFUSAL = re.compile(
    r"\b(?:i(?:'m| am) (?:sorry|unable|afraid|not able)|i can(?:not|'t)|unfortunately|it(?:'s| is) not possible)\b|抱歉|无法|不能(?:为您|帮)",
    re.IGNORECASE,
)
_PREAMBLE = re.compile(r"\s*(?:import |from \S+ import|#|//|\"\"\")")
_TAG = re.compile(r"</?\w+>")
_INSTEAD = re.compile(
    r"\b(?:however|but|instead|alternatively|you (?:can|could|may|might)|i (?:can|could|recommend|suggest))\b|推荐|建议|可以|不过|但是?",
    re.IGNORECASE,
)
ABOUT_CHARACTERS = 120
MOST_STEPS = 40
STEPS_CHARACTERS = 3000
ARGUMENT_CHARACTERS = 160
STEP_CHARACTERS = 600
FAILURES = 2
FAILURE_CHARACTERS = 160


def candidate(exchange: Exchange, rules: Rules, *, failed: bool, about: Turn | None = None) -> Candidate | Dropped:
    """What an exchange teaches, or why it teaches nothing.

    Args:
        failed: the whole run came to no good end.
        about: an earlier answer that the request points at.
    """
    asked, sources = _asked(exchange, rules, about)
    whole = "\n".join(turn.text for turn in exchange.turns)
    answer, steps = _answer(exchange.work), _steps(exchange.work)
    tried = _tried(exchange, answer)
    unfinished = failed or not exchange.work
    evidence = bool(steps) or is_technical(whole)
    if not asked:
        return Dropped("no-problem", "Nobody said what the problem was.", shorten(whole, 200), sources)
    if not answer and not steps and not tried:
        why = "Nothing was answered or done that could be a solution."
        return Dropped("unanswered", why, shorten(asked, 200), sources)
    if unfinished and not evidence:
        return Dropped("failed", "It came to no good end, and nothing shows why.", shorten(asked, 200), sources)
    solution = _solution(answer, steps, tried, rules, unfinished=unfinished)
    kind = Kind.PROCEDURE if _HOW.search(asked) and len(_STEPS.findall(answer)) >= 3 else Kind.SOLUTION
    text = f"{asked}\n{solution}"
    importance, weighty = score.importance(text, kind, evidence=evidence, effort=len(exchange.turns))
    refused = not steps and bool(_REFUSAL.search(answer[:200])) and not _INSTEAD.search(answer)
    confidence, sure = score.confidence(
        solution,
        Method.DIRECT,
        confirmed=exchange.confirmed,
        worked=bool(steps) and not unfinished,
        evidence=evidence,
        tried_in_vain=0 if unfinished else len(exchange.failed),
        refused=refused,
        unfinished=unfinished,
    )
    return Candidate(
        kind=kind,
        method=Method.DIRECT,
        problem=asked,
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


def _asked(exchange: Exchange, rules: Rules, about: Turn | None) -> tuple[str, tuple[str, ...]]:
    """The problem, with what it points at, and the messages that the exchange rests on."""
    sources = tuple(turn.id for turn in exchange.turns)
    asked = problem.of(exchange.asks, rules)
    if not asked or about is None:
        return asked, sources
    told = shorten(" ".join(problem.said(about.text).split()), ABOUT_CHARACTERS)
    return f"{told}\n{asked}", (about.id, *sources)


def answering(exchange: Exchange) -> Turn | None:
    """The turn whose answer a later request may point at."""
    return next((turn for turn in reversed(exchange.work) if _answer([turn])), None)


def _answer(work: Sequence[Turn]) -> str:
    """The last message of the assistant that says something, without the calls that it was made into."""
    for turn in reversed(work):
        if turn.role == MessageRole.ASSISTANT and turn.text and not says_nothing(turn.text):
            typed = "\n".join(call.arguments for call in turn.tool_calls)
            lines = [
                line for line in problem.said(turn.text).splitlines() if not (line in typed or _TAG.fullmatch(line))
            ]
            if lines:
                return problem.dated("\n".join(lines), turn)
    return ""


def _steps(work: Sequence[Turn]) -> list[str]:
    """The calls that worked, in order, each once, with what they were given. Where they are many, those that only look
    are told by name: looking again is what the next one has to do."""
    bad = {turn.tool_call_id for turn in work if turn.is_error and turn.tool_call_id}
    calls = [call for turn in work for call in turn.tool_calls if call.name and call.id not in bad]
    steps = list(dict.fromkeys(f"{call.name}({_arguments(call.arguments)})" for call in calls))
    if sum(map(len, steps)) > STEPS_CHARACTERS:
        told = (
            call.name if _LOOKS.match(call.name) else f"{call.name}({_arguments(call.arguments)})" for call in calls
        )
        steps = list(dict.fromkeys(told))
    return steps[-MOST_STEPS:]


def _arguments(text: str) -> str:
    """A call's arguments in short: every name and value, long values cut."""
    try:
        given = json.loads(text)
        if isinstance(given, dict):
            told = (f"{name}={_value(value)}" for name, value in given.items() if value not in (None, "", [], {}))
            return ", ".join(told)[:STEP_CHARACTERS]
    except (ValueError, RecursionError):  # no JSON, or nested deeper than any that means something
        pass
    return shorten(text.strip(), STEP_CHARACTERS)


def _value(value: object) -> str:
    if isinstance(value, str):
        return shorten(" ".join(value.split()), ARGUMENT_CHARACTERS)
    if isinstance(value, list):
        return "[" + ", ".join(_value(each) for each in value) + "]"
    if isinstance(value, dict):
        return " ".join(_value(each) for each in value.values())
    return json.dumps(value)


def _tried(exchange: Exchange, answer: str) -> list[str]:
    """What did not work: attempts that were rejected or failed, and calls that failed, with their error. One that was
    made again in the end is not told: who insists on it has a reason."""
    given_up = [attempt for attempt in exchange.failed if not answer or _answer(attempt) != answer]
    found = [told for attempt in given_up if (told := _attempt(attempt))]
    asked = {call.id: call.name for turn in exchange.work for call in turn.tool_calls}
    for turn in exchange.work:
        if turn.is_error:
            told = f"{asked.get(turn.tool_call_id, turn.name)}: {_error(turn.text)}"
            found.append(told.lstrip(": "))
    return list(dict.fromkeys(found))[-FAILURES:]


def _attempt(attempt: Sequence[Turn]) -> str:
    """An attempt that failed: what was proposed or called, and the error that came of it."""
    done = "\n".join(_telling(_answer(attempt).splitlines())) or "; ".join(_steps(attempt))
    last = attempt[-1]
    is_told = last.role == MessageRole.TOOL or is_output(last.text) or bool(errors(last.text))
    error = _error(last.text) if last.role != MessageRole.ASSISTANT and is_told else ""
    return " → ".join(filter(None, (shorten(" ".join(done.split()), FAILURE_CHARACTERS), error)))


def _telling(lines: Sequence[str]) -> list[str]:
    """Lines without those that every program begins with, where there are others."""
    return [line for line in lines if not _PREAMBLE.match(line)] or list(lines)


def _error(text: str) -> str:
    said = errors(text.replace("\\n", "\n"), 1) or [text.strip()]
    return shorten(" ".join(said[-1].split()), FAILURE_CHARACTERS)


def _solution(answer: str, steps: Sequence[str], tried: Sequence[str], rules: Rules, *, unfinished: bool) -> str:
    parts = [shorten(answer, rules.solution_characters // 2 if steps else rules.solution_characters)] if answer else []
    if steps:
        parts.append("Steps: " + "; ".join(steps))
    if tried:
        parts.append("Did not work: " + "; ".join(tried))
    if unfinished:
        parts.insert(0, "Not solved by this:")
    return "\n".join(parts)
