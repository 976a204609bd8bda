"""The right side of the replay: the state after a step, what it changed, what the model saw. Needs a tenant's scope."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from dashboard import compare, readable
from memory import limits
from memory.errors import Gone, NotFound
from memory.events.state import state_at
from memory.flight import analysis, causes, diff, timeline
from memory.flight.diff import Section
from memory.flight.left import Message, context_at
from memory.models import Experience, Hint, Stream

# Of what left the context long ago, nothing that an operator reads to the end.
MOST_SHOWN = 100
# Of what a step led to, the next ones.
MOST_EFFECTS = 12


def context(stream: Stream, version: int, asked: Mapping[str, str]) -> dict[str, Any]:
    """What `runs/side.html` shows of a step; `asked` is the query, of which `panel` chooses among PANELS."""
    panel = asked.get("panel", "")
    panel = panel if panel in PANELS else STATE
    try:
        shown = PANELS[panel](stream, version, asked)
    except Gone as gone:
        shown = {"gone": gone}
    return {"panel": panel, "panels": LABELS.items(), **shown}


def _state(stream: Stream, version: int, asked: Mapping[str, str]) -> dict[str, Any]:
    return {"state": readable.state_context(state_at(stream, version))}


def _changes(stream: Stream, version: int, asked: Mapping[str, str]) -> dict[str, Any]:
    """Against the step before, or whichever of this run or another `against` and `with` name."""
    name = asked.get("with", "").strip()
    told: dict[str, Any] = {"with": name, "against": max(version - 1, 0), "is_chosen": bool(name)}
    other = stream
    if name and name != stream.name:
        try:
            other = Stream.objects.named(name)
        except NotFound as error:
            return told | {"refusal": str(error)}
    number = asked.get("against", "")
    if number.isascii() and number.isdecimal() and len(number) < 19:
        told |= {"against": int(number), "is_chosen": True}
    elif other is not stream:
        told["against"] = min(version, other.version)
    try:
        before = state_at(other, told["against"])
    except NotFound as error:
        return told | {"refusal": str(error)}
    sections = diff.diff(before, state_at(stream, version), is_same_run=other is stream)
    return told | {"parts": compare.parts(_telling(sections)), "other": other}


def _why(stream: Stream, version: int, asked: Mapping[str, str]) -> dict[str, Any]:
    """What led to the event, back to the first suspicious step, and what it led to."""
    progress = analysis.catch_up(stream)
    story, effects = causes.back(stream, version), causes.forward(stream, version)
    near = sorted(effects.versions - {version})[:MOST_SHOWN]
    rows = {row.version: row for each in (hop.link.cause for hop in story.path) for row in _row(stream, each)}
    rows |= {row.version: row for each in near[:MOST_EFFECTS] for row in _row(stream, each)}
    told = Hint.objects.in_stream(stream).not_of(limits.names("ARES_HINTS_OFF"))
    return {
        "suspect": story.suspect,
        "here": [shown_hint(hint, stream) for hint in told.filter(version=version)],
        "hints": [shown_hint(hint, stream) for hint in story.hints if hint.version != version],
        "hops": [
            {"row": rows.get(hop.link.cause), "hop": hop, "certainty": round(hop.certainty * 100)} for hop in story.path
        ],
        "effects": [rows[each] for each in near[:MOST_EFFECTS] if each in rows],
        "more_effects": max(len(effects.versions) - 1 - MOST_EFFECTS, 0),
        "analysed_to": progress.analysed_to,
        "is_analysed": progress.analysed_to >= version,
    }


def _row(stream: Stream, version: int) -> list[timeline.Row]:
    return timeline.window(stream, version, version)


def shown_hint(hint: Hint, stream: Stream) -> dict[str, Any]:
    """A hint, what shows it beside its own event, and the tokens that were spent after it."""
    spent = hint.tokens_after(stream.input_tokens + stream.output_tokens)
    return {"hint": hint, "spent": spent, "evidence": [each for each in hint.evidence if each != hint.version]}


def _telling(sections: list[Section]) -> list[Section]:
    """What differs, but for which event was the last: that stands beside it."""
    return [part for part in diff.changes(sections) if part.name != "last_event"]


def _context(stream: Stream, version: int, asked: Mapping[str, str]) -> dict[str, Any]:
    told = context_at(stream, version)
    known = Experience.objects.by_id({name for each in (*told.left, *told.never) for name in each.experiences})
    return {
        "seen": told,
        "held": _lines(told.held, known),
        "left": _lines(told.left, known),
        "never": _lines(told.never, known),
        "left_out": [_reason(each) for each in told.left_out],
    }


def _lines(messages: Iterable[Message], known: Mapping[str, Experience]) -> list[dict[str, Any]]:
    return [
        {
            "version": each.version,
            "role": each.role,
            "summary": each.summary,
            "last_in": each.presence.last_in,
            "left_at": each.presence.left_at,
            "experiences": [known[name] for name in each.experiences if name in known],
        }
        for each in list(messages)[-MOST_SHOWN:]
    ]


def _reason(told: Mapping[str, Any]) -> dict[str, str]:
    """What a context says it left out, in words. A client may have written it: nothing is taken for granted."""
    count = told.get("count")
    number = count if isinstance(count, int) and not isinstance(count, bool) else 1
    what = str(told.get("what", "something"))[:60]
    return {"what": f"{number:,} {what}" if number != 1 else what, "reason": str(told.get("reason", ""))[:300]}


STATE = "state"
LABELS = {STATE: "State", "changes": "Changes", "context": "Context", "why": "Why"}
PANELS: dict[str, Callable[[Stream, int, Mapping[str, str]], dict[str, Any]]] = {
    STATE: _state,
    "changes": _changes,
    "context": _context,
    "why": _why,
}
