"""Two runs beside each other: what both did, where they part, and what each did after that. Pure."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from hashlib import blake2b
from typing import Any

from memory.flight.edits import stretches
from memory.flight.trace import Asked, Step
from memory.vocabulary import HOUSEKEEPING, EventType

# What two runs of the same task never share, and what nobody did in them: a heartbeat, the server's clearing up.
PASSED_OVER = HOUSEKEEPING | {EventType.AGENT_HEARTBEAT, EventType.AGENT_FLAPPING, EventType.RUN_FORKED}
# Names and measures, which differ from run to run though the same was done.
VOLATILE = frozenset({"id", "usage", "duration_ms", "session_id", "message_id", "task_id", "tool_call_id", "call_id"})


# Who opened a session, and where an agent's process ran, is not what was done in it.
SURROUNDINGS = frozenset({"session", "agent"})


class Fate(StrEnum):
    """What became of an act of one run in the other: done in both, done otherwise, or missing there."""

    SAME = "same"
    CHANGED = "changed"
    ONLY_A = "only_a"
    ONLY_B = "only_b"


@dataclass(frozen=True, slots=True)
class Act:
    """One event as far as runs can be compared: what kind of thing was done by whom, and a digest of its content."""

    version: int
    kind: tuple[str, ...]
    digest: bytes


@dataclass(frozen=True, slots=True)
class Beside:
    """One line of the comparison: the versions in both runs, None where a run lacks it."""

    fate: Fate
    a: int | None
    b: int | None


@dataclass(frozen=True, slots=True)
class Alignment:
    """Both runs, line by line. `parts_at` is the index of the first line that is not the same, None for none;
    `meets_at` that of the first line behind it which is the same again."""

    lines: list[Beside]
    parts_at: int | None
    meets_at: int | None


def act_of(step: Step) -> Act | None:
    """What is compared of an event; None for events that no agent did.

    Names, times, usage and the spaces of texts do not count. Of a prompt, only its last message counts: the others are
    what was done before.
    """
    if step.type in PASSED_OVER:
        return None
    return Act(step.version, (step.type, step.role, step.speaker, step.tool), _digest(_content(step)))


def align(a: Sequence[Act], b: Sequence[Act]) -> Alignment:
    """Both runs in order; acts that both did stand in one line, between them
    those of the same kind in order, and the others by themselves."""
    lines: list[Beside] = []
    for part in stretches([(act.kind, act.digest) for act in a], [(act.kind, act.digest) for act in b]):
        lines += _beside(Fate.SAME, a[part.a], b[part.b]) if part.is_same else _between(a[part.a], b[part.b])
    parts_at = next((index for index, line in enumerate(lines) if line.fate is not Fate.SAME), None)
    behind = range(parts_at + 1, len(lines)) if parts_at is not None else range(0)
    return Alignment(lines, parts_at, next((index for index in behind if lines[index].fate is Fate.SAME), None))


def _between(ones: Sequence[Act], others: Sequence[Act]) -> list[Beside]:
    """The acts of a stretch where the runs differ: of the same kind beside each other, in order, the rest alone."""
    lines: list[Beside] = []
    for part in stretches([act.kind for act in ones], [act.kind for act in others]):
        if part.is_same:
            lines += _beside(Fate.CHANGED, ones[part.a], others[part.b])
        else:
            lines += [Beside(Fate.ONLY_A, act.version, None) for act in ones[part.a]]
            lines += [Beside(Fate.ONLY_B, None, act.version) for act in others[part.b]]
    return lines


def _beside(fate: Fate, ones: Sequence[Act], others: Sequence[Act]) -> list[Beside]:
    return [Beside(fate, one.version, other.version) for one, other in zip(ones, others, strict=True)]


def _content(step: Step) -> Any:
    if step.type.partition(".")[0] in SURROUNDINGS:
        return None
    if step.given:
        return _squeezed(step.given[-1].text)
    if step.type == EventType.TOOL_CALL:
        return _plain(step.payload.get("arguments"))
    asked = [_request(call) for call in step.asked]
    if step.text or step.error or asked:
        return [_squeezed(step.text), _squeezed(step.error), asked]
    return _plain({name: value for name, value in step.payload.items() if name not in VOLATILE})


def _request(call: Asked) -> list[Any]:
    return [call.name, _plain(call.arguments)]


def _plain(value: Any) -> Any:
    """Arguments as an object, even where a model gave them as text."""
    if isinstance(value, str):
        try:
            return json.loads(value)
        except ValueError:
            return _squeezed(value)
    return value


def _squeezed(text: str) -> str:
    return " ".join(text.split())


def _digest(content: Any) -> bytes:
    told = json.dumps(content, ensure_ascii=False, sort_keys=True, default=str)
    return blake2b(told.encode("utf-8", "surrogatepass"), digest_size=8).digest()
