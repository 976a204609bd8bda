"""Two states beside each other as text, what differs first. Pure."""

import json
from dataclasses import dataclass
from typing import Any

from memory.events.reducer import State
from memory.flight.diff import Section

# Of an item that happened, what says most about it: the fields of the reducer's items, in the order of reading.
TELLING = ("role", "name", "step", "input", "arguments", "content", "error", "text")
TEXT_LENGTH = 300
# Of a proof, what is read first.
PROOF_ORDER = ("verified", "broken_at", "events_replayed", "snapshot_version", "from_version", "to_version")
# Told at the top of the page.
TOLD_ELSEWHERE = {"version"}


@dataclass(frozen=True, slots=True)
class Row:
    """One thing in both states; empty where a state lacks it."""

    key: str
    before: str
    after: str


@dataclass(frozen=True, slots=True)
class Part:
    """A field of the state: the rows that differ, and those that are the same."""

    name: str
    different: list[Row]
    same: list[Row]


def parts(sections: list[Section]) -> list[Part]:
    """The fields of which either state holds something."""
    made = []
    for section in sections:
        if section.name in TOLD_ELSEWHERE:
            continue
        rows = [
            (pair.is_different, Row(_words(pair.key), _text(pair.before), _text(pair.after))) for pair in section.pairs
        ]
        different, same = ([row for is_different, row in rows if is_different is wanted] for wanted in (True, False))
        if different or any(row.before for row in same):
            made.append(Part(_words(section.name), different, same))
    return made


def open_things(state: State) -> list[dict[str, Any]]:
    """What was open in a state: tasks, tool calls without a result, steps; each with the event that opened it."""
    kinds = (("task", "open_tasks"), ("tool", "pending_tool_calls"), ("step", "open_steps"))
    return [
        {"family": family, "version": item["version"], "text": _text(item)}
        for family, name in kinds
        for item in state[name]
    ]


def proof_pairs(payload: dict[str, Any]) -> list[tuple[str, str]]:
    """What an `agent.restored` says of how it was done. A client may have written it: nothing is taken for granted."""
    proof = payload.get("proof")
    told = dict(proof) if isinstance(proof, dict) else {}
    milliseconds = told.pop("milliseconds", None)
    names = [name for name in PROOF_ORDER if name in told] + [name for name in told if name not in PROOF_ORDER]
    pairs = [(_words(name), _scalar(told[name])) for name in names if told[name] is not None]
    if isinstance(milliseconds, dict):
        pairs.append(("milliseconds", ", ".join(f"{name} {_scalar(spent)}" for name, spent in milliseconds.items())))
    missing = payload.get("missing")
    lacking = [part for part in missing if isinstance(part, dict)] if isinstance(missing, list) else []
    return pairs + [(f"missing: {_scalar(part.get('part'))}", _scalar(part.get("reason"))) for part in lacking]


def _text(value: Any) -> str:
    if isinstance(value, dict):
        told = [_scalar(value[name]) for name in TELLING if value.get(name)]
        text = " · ".join(told) or _scalar(value.get("id") or value.get("tool_call_id") or value)
    else:
        text = "" if value is None else _scalar(value)
    return text if len(text) <= TEXT_LENGTH else text[: TEXT_LENGTH - 1] + "…"


def _scalar(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _words(name: str) -> str:
    return name.replace("_", " ")
