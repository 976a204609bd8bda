"""Extraction by a language model, on top of the rules. What it says is checked before it is believed."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from time import monotonic
from typing import Any

from memory import conf
from memory.distillation import quarantine, score
from memory.distillation.data import Candidate, Extraction, Rules, Turn
from memory.distillation.dates import absolute
from memory.distillation.entities import entities
from memory.distillation.evidence import condense, is_technical
from memory.distillation.extract import readable
from memory.distillation.scope import is_personal
from memory.errors import ServiceFailed
from memory.language import language_of, shorten
from memory.llm import prompts
from memory.llm.client import SERVICE, Client, Use
from memory.redact import redact
from memory.retrieval.terms import STOP_TERMS, terms
from memory.vocabulary import PERSONAL_KINDS, Kind, MessageRole, Method

# A model is given so much of a conversation at a time, and of one message.
PART_CHARACTERS = 12_000
MESSAGE_CHARACTERS = 2_000
# The model may read for so much of the time that the work is leased for; one request can take half of the rest.
SHARE_OF_LEASE = 0.4
KINDS = frozenset(Kind) - {Kind.ABSTRACTION}
MOST_MEMORIES = 50


def extended(
    found: Extraction, turns: Sequence[Turn], rules: Rules, model: Client, note_use: Callable[[Use], None]
) -> tuple[Extraction, str]:
    """What the rules found and what the model does, without saying a thing twice: where the model has a memory of the
    same messages and kind, its own stands. If it fails, the rules' candidates stand alone and the note says why; so it
    does where the time was not enough for all parts of a long conversation."""
    read = [readable(turn) for turn in turns if turn.role != MessageRole.SYSTEM]
    end = monotonic() + SHARE_OF_LEASE * conf.value("ARES_QUEUE_LEASE_SECONDS")
    made: list[Candidate] = []
    parts = _parts(read)
    note = ""
    try:
        for number, part in enumerate(parts):
            if monotonic() > end:
                note = f"{SERVICE} was too slow to read more than {number} of {len(parts)} parts."
                break
            said = [{"role": "system", "content": prompts.read("extract")}, {"role": "user", "content": _told(part)}]
            read_part = partial(candidates, turns=part, rules=rules)
            completion = model.complete(said, prompts.form("extract"), read_part, note_use)
            made += completion.value
    except ServiceFailed as error:
        return found, f"Extracted by rules alone: {error.detail}"
    covered = {(candidate.kind in PERSONAL_KINDS, source) for candidate in made for source in candidate.sources}
    own = [
        candidate
        for candidate in found.candidates
        if not all((candidate.kind in PERSONAL_KINDS, source) in covered for source in candidate.sources)
    ]
    return replace(found, candidates=(*made, *own)), note


def candidates(value: Any, turns: Sequence[Turn], rules: Rules) -> list[Candidate]:
    """The candidates in a model's answer about these turns, which it knows by their numbers from 1 on. Pure.

    Raises:
        ValueError: the answer is not of the form that was asked for.
    """
    memories = value.get("memories") if isinstance(value, dict) else None
    if not isinstance(memories, list) or len(memories) > MOST_MEMORIES:
        raise ValueError(f"There must be a list `memories` of at most {MOST_MEMORIES} objects.")
    return [_candidate(each, turns, rules) for each in memories]


def _candidate(told: Any, turns: Sequence[Turn], rules: Rules) -> Candidate:
    if not isinstance(told, Mapping):
        raise ValueError("Each memory must be an object.")  # noqa: TRY004  of a model's answer, no caller's mistake
    kind, problem, solution = told.get("kind"), told.get("problem") or "", told.get("solution")
    if not isinstance(kind, str) or kind not in KINDS:
        raise ValueError(f"kind must be one of {', '.join(sorted(KINDS))}.")
    if not isinstance(problem, str) or not isinstance(solution, str) or not solution.strip():
        raise ValueError("problem must be a text and solution a text that is not empty.")
    numbers = told.get("sources")
    if (
        not isinstance(numbers, list)
        or not numbers
        or not all(type(each) is int and 0 < each <= len(turns) for each in numbers)
    ):
        raise ValueError(f"sources must be numbers of messages, from 1 to {len(turns)}.")
    sure = told.get("confidence", 0.5)
    if isinstance(sure, bool) or not isinstance(sure, int | float) or not 0 <= sure <= 1:
        raise ValueError("confidence must be a number from 0 to 1.")
    rests_on = [turns[number - 1] for number in sorted(set(numbers))]
    if not any(_stated(solution) & _stated(_said(turn)) for turn in rests_on):
        raise ValueError("solution must be in the words of the messages that sources name.")
    said_at = rests_on[-1].occurred_at
    problem = shorten(redact(problem.strip())[0], rules.problem_characters)
    solution = shorten(absolute(redact(solution.strip())[0], said_at), rules.solution_characters)
    text = f"{problem}\n{solution}"
    worked = any(turn.tool_calls for turn in rests_on)
    importance, weighty = score.importance(text, Kind(kind), evidence=is_technical(text), effort=len(rests_on))
    checked, terms = score.confidence(text, Method.SUMMARY, worked=worked)
    return Candidate(
        kind=Kind(kind),
        method=Method.SUMMARY,
        problem=problem,
        solution=solution,
        language=language_of(text),
        entities=entities(text),
        subject="",
        value="",
        confidence=round(checked * (0.5 + sure / 2), 4),
        importance=importance,
        terms={**weighty, **terms, "model": float(sure)},
        sources=tuple(turn.id for turn in rests_on),
        occurred_at=said_at,
        personal=is_personal(Kind(kind), text, worked=worked),
        quarantine=quarantine.reason(text),
    )


def _parts(turns: Sequence[Turn]) -> list[list[Turn]]:
    parts: list[list[Turn]] = []
    room = 0
    for turn in turns:
        size = min(len(turn.text), MESSAGE_CHARACTERS) + 20
        if not parts or size > room:
            parts.append([])
            room = PART_CHARACTERS
        parts[-1].append(turn)
        room -= size
    return parts


def _told(turns: Sequence[Turn]) -> str:
    return "\n".join(_line(number, turn) for number, turn in enumerate(turns, start=1))


def _line(number: int, turn: Turn) -> str:
    calls = "; ".join(f"{call.name}({call.arguments[:200]})" for call in turn.tool_calls)
    said = shorten(condense(turn.text), MESSAGE_CHARACTERS)
    return f"[{number}] {turn.name or turn.role} ({turn.occurred_at:%Y-%m-%d}): {said} {calls}".rstrip()


def _said(turn: Turn) -> str:
    return " ".join([turn.name, turn.text, *(f"{call.name} {call.arguments}" for call in turn.tool_calls)])


def _stated(text: str) -> set[str]:
    """The terms that a text tells something by. Small models repeat the example of their instructions, or tell of what
    nobody said: such a text shares none with the messages."""
    return set(terms(text)) - STOP_TERMS
