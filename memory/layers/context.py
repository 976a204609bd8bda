"""What goes to the model for the next turn: the newest part of the conversation and the experience that fits the
question, within a budget of exact tokens. Needs a tenant's scope.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any

from memory import limits
from memory.errors import Invalid, SessionExpired
from memory.events import facts, store
from memory.events.draft import draft, text
from memory.layers import choice, hot, recollection, session, shapes, window
from memory.layers.hot import Cached
from memory.layers.recollection import Recall, Recalled, Recollection
from memory.layers.shapes import Line
from memory.models import Session
from memory.tokens import counting
from memory.vocabulary import EVENT_PREFIX, Collection, ContextMethod, EventType, MessageRole, Shape, new_id

MOST_TOKENS = 2_000_000
MOST_HISTORY = 1_000
MOST_EXPERIENCES = 100
MODEL_LENGTH = 200
# How much of each experience the record of a recall repeats; the whole stands in the memory itself.
EXCERPT = 300
QUERY_LENGTH = 20_000
INPUT_LENGTH = 4_000_000


@dataclass(frozen=True, slots=True)
class Tokens:
    """Tokens of the whole history with the question, and of what is sent. More may be sent than there was."""

    raw: int
    sent: int

    @property
    def saved(self) -> int:
        return self.raw - self.sent


@dataclass(frozen=True, slots=True)
class LeftOut:
    """What is not in the context, and why, in a sentence: an experience by its id, or `count` messages in a row by the
    number of the first one."""

    what: str
    reason: str
    tokens: int
    id: str = ""
    number: int = 0
    count: int = 1


@dataclass(frozen=True, slots=True)
class Context:
    """A context in the shape that was asked for. `is_exact` says that `vocabulary` is the model's own."""

    content: str | list[dict[str, Any]]
    shape: Shape
    messages: Sequence[Line]
    experiences: Sequence[Recalled]
    tokens: Tokens
    left_out: Sequence[LeftOut]
    method: ContextMethod
    model: str
    vocabulary: str
    is_exact: bool
    cached: Cached
    missing: Mapping[str, str]
    event_version: int = 0


@dataclass(frozen=True, slots=True)
class Request:
    """What a context is wanted for, checked."""

    asked: str
    max_tokens: int
    max_history: int
    top_k: int
    shape: Shape
    model: str


def build_context(
    session_id: str,
    asked: Any,
    max_tokens: Any = None,
    max_history: Any = None,
    top_k: Any = None,
    shape: Any = None,
    model: Any = None,
    *,
    recall: Recall = recollection.recall,
) -> Context:
    """A context for the next turn of a session; its stream gets `memory.recalled` and `context.built`.

    Args:
        asked: the question; one that is the conversation's last message already is not repeated.
        max_tokens: what the context may take, exactly, with what the shape puts around it.
        max_history: how many of the newest messages it may hold; 0 for none.
        top_k: how many experiences it may hold; 0 for none.
        shape: `text` or `messages`.
        model: what it is for, which decides vocabulary and price.
        recall: asks memory.

    Raises:
        NotFound, SessionExpired: there is no such session (any more).
        Invalid: something is not what it must be, or the question alone takes more than `max_tokens`.
    """
    request = _checked(asked, max_tokens, max_history, top_k, shape, model)
    within = Session.objects.with_id(session_id)
    if within.is_over(datetime.now(UTC)):
        raise SessionExpired(f"Session {within.pk} has expired. Its stream can still be replayed.")
    wants_memory = bool(request.top_k and request.asked.strip())
    found = recall(request.asked, request.top_k, within.user_id) if wants_memory else Recollection()
    made = _build(within, request, found)
    return _recorded(made, found if wants_memory else None, request, within)


def _checked(asked: Any, max_tokens: Any, max_history: Any, top_k: Any, shape: Any, model: Any) -> Request:
    if asked is None:
        raise Invalid("input must be the text that the context is for.")
    if shape is not None and (not isinstance(shape, str) or shape not in set(Shape)):
        raise Invalid(f"shape must be one of {', '.join(Shape)}.")
    return Request(
        asked=text(asked, "input", INPUT_LENGTH),
        max_tokens=_number(max_tokens, "max_tokens", "ARES_CONTEXT_TOKENS", 1, MOST_TOKENS),
        max_history=_number(max_history, "max_history", "ARES_MAX_HISTORY", 0, MOST_HISTORY),
        top_k=_number(top_k, "top_k", "ARES_CONTEXT_EXPERIENCES", 0, MOST_EXPERIENCES),
        shape=Shape(shape or Shape.TEXT),
        model=text(model, "model", MODEL_LENGTH),
    )


def _number(value: Any, name: str, setting: str, least: int, most: int) -> int:
    if value is None:
        return limits.value(setting)
    if not isinstance(value, int) or isinstance(value, bool) or not least <= value <= most:
        raise Invalid(f"{name} must be a whole number from {least} to {most}.")
    return value


@dataclass(frozen=True, slots=True)
class _Material:
    """What there is to choose from: whole units of the window, how many messages are older, the memories as they are
    weighed, and what is fixed."""

    units: list[list[Line]]
    older: int
    weighed: list[choice.Unit]
    memories: list[choice.Memory]
    overhead: int
    fixed: int
    asked: str


def _build(within: Session, request: Request, found: Recollection) -> Context:
    vocabulary, is_exact = counting.vocabulary_of(request.model)
    past, cached = hot.history(within, request.max_history, vocabulary)
    left_out: list[LeftOut] = []
    there = _material(within, request, past, found, vocabulary, left_out)
    if there.fixed > request.max_tokens:
        raise Invalid(f"The input alone takes {there.fixed} tokens; max_tokens is {request.max_tokens}.")
    room = request.max_tokens - there.fixed
    while True:
        chosen = choice.choose(room, there.weighed, there.memories, there.overhead)
        lines = [line for unit in there.units[len(there.units) - chosen.units :] for line in unit]
        experiences = [found.found[place] for place in chosen.memories]
        content, sent = _rendered(request.shape, experiences, lines, there.asked, vocabulary)
        if sent <= request.max_tokens:
            break
        room -= sent - request.max_tokens  # where pieces meet, a vocabulary may need a token more than for each alone
    raw = past.raw[request.shape] + _question_tokens(request.shape, there.asked, vocabulary)
    left_out += _not_taken(there, chosen, past, request, found)
    method = ContextMethod.MEMORY if experiences else ContextMethod.WINDOW
    if not experiences and len(lines) == past.count:
        method = ContextMethod.FULL
    return Context(
        content, request.shape, lines, experiences, Tokens(raw, sent), left_out, method, request.model, vocabulary,
        is_exact, cached, found.missing,
    )  # fmt: skip


def _material(
    within: Session,
    request: Request,
    past: hot.History,
    found: Recollection,
    vocabulary: str,
    left_out: list[LeftOut],
) -> _Material:
    units = window.window(past.newest, request.max_history)
    older = units[0][0].number - 1 if units else past.count
    asked = "" if _is_said(units, request.asked) else request.asked
    if request.shape == Shape.MESSAGES:
        for unit in [unit for unit in units if not shapes.can_be_sent(unit)]:
            units.remove(unit)
            left_out.append(_messages(unit, request.shape, "A tool call and its result are not both there yet."))
    origins = recollection.origins([each.id for each in found.found], within.pk)
    return _Material(
        units,
        older,
        [_weighed(unit, request.shape) for unit in units],
        [
            choice.Memory(
                counting.count(shapes.memory_line(each.text), vocabulary),
                tuple(map(choice.words, each.text.splitlines())),
                origins.get(each.id),
            )
            for each in found.found
        ],
        _overhead(request.shape, vocabulary),
        _question_tokens(request.shape, asked, vocabulary),
        asked,
    )


def _weighed(unit: list[Line], shape: Shape) -> choice.Unit:
    said = choice.words(" ".join(facts.text_of(line.content) for line in unit))
    return choice.Unit(sum(line.tokens[shape] for line in unit), frozenset(line.version for line in unit), said)


def _is_said(units: list[list[Line]], asked: str) -> bool:
    """Whether the conversation ends with the question: an agent may add a message first, and ask then."""
    last = units[-1][-1] if units else None
    return last is not None and last.role == MessageRole.USER and facts.text_of(last.content).strip() == asked.strip()


def _question_tokens(shape: Shape, asked: str, vocabulary: str) -> int:
    if shape == Shape.TEXT:
        return counting.count(shapes.as_text([], [], asked), vocabulary)
    return counting.count_messages(shapes.as_messages([], [], asked), vocabulary)


def _overhead(shape: Shape, vocabulary: str) -> int:
    """What the block of recalled memory takes beside what was recalled, a token too much at most."""
    empty = shapes.block([""])
    around = counting.count(empty, vocabulary) - counting.count(shapes.memory_line(""), vocabulary)
    return around if shape == Shape.TEXT else around + counting.count_message({"role": MessageRole.SYSTEM}, vocabulary)


def _rendered(
    shape: Shape, experiences: Sequence[Recalled], lines: Sequence[Line], asked: str, vocabulary: str
) -> tuple[str | list[dict[str, Any]], int]:
    recalled = [each.text for each in experiences]
    if shape == Shape.TEXT:
        content = shapes.as_text(recalled, lines, asked)
        return content, counting.count(content, vocabulary)
    messages = shapes.as_messages(recalled, lines, asked)
    return messages, counting.count_messages(messages, vocabulary)


def _not_taken(
    there: _Material,
    chosen: choice.Choice,
    past: hot.History,
    request: Request,
    found: Recollection,
) -> list[LeftOut]:
    made = [
        LeftOut("experience", reason, there.memories[place].tokens, id=found.found[place].id)
        for place, reason in chosen.refused.items()
    ]
    vocabulary = counting.vocabulary_of(request.model).name
    made += [
        LeftOut("experience", each.reason, counting.count(shapes.memory_line(each.text), vocabulary), id=each.id)
        for each in found.unfit
    ]
    cut = [line for unit in there.units[: len(there.units) - chosen.units] for line in unit]
    if cut:
        made.append(_messages(cut, request.shape, f"There was no room for them within {request.max_tokens} tokens."))
    if there.older:
        newer = sum(line.tokens[request.shape] for line in past.newest if line.number > there.older)
        reason = f"Older than the newest {request.max_history} messages."
        made.append(LeftOut("messages", reason, past.raw[request.shape] - newer, number=1, count=there.older))
    return made


def _messages(lines: Sequence[Line], shape: Shape, reason: str) -> LeftOut:
    taken = sum(line.tokens[shape] for line in lines)
    return LeftOut("messages", reason, taken, number=lines[0].number, count=len(lines))


def _recorded(made: Context, found: Recollection | None, request: Request, within: Session) -> Context:
    """Record what was recalled and what was built, in that order, in the session's stream."""
    told = []
    recalled_id = None
    if found is not None:
        recalled_id = new_id(EVENT_PREFIX)
        told.append({"id": recalled_id, "type": EventType.MEMORY_RECALLED, "payload": _told_recall(found, request)})
    built = {"type": EventType.CONTEXT_BUILT, "payload": _told_context(made, request), "causation_id": recalled_id}
    drafts = [draft(event, store.limits()) for event in (*told, built)]
    events = session.record(session.live(within.pk), drafts).events
    return replace(made, event_version=events[-1].version)


def _told_recall(found: Recollection, request: Request) -> dict[str, Any]:
    return {
        "query": request.asked[:QUERY_LENGTH],
        **({"rewritten": found.rewritten} if found.rewritten else {}),
        "tokens": sum(counting.count(each.text) for each in found.found),
        "results": [
            {
                "source": Collection.EXPERIENCE,
                "id": each.id,
                "score": round(each.score, 4),
                "text": each.text[:EXCERPT],
            }
            for each in found.found
        ],
        "missing": dict(found.missing),
    }


def _told_context(made: Context, request: Request) -> dict[str, Any]:
    return {
        "model": made.model,
        "method": made.method,
        "shape": made.shape,
        "max_tokens": request.max_tokens,
        "max_history": request.max_history,
        "top_k": request.top_k,
        "tokens": {"raw": made.tokens.raw, "sent": made.tokens.sent, "saved": made.tokens.saved},
        "vocabulary": made.vocabulary,
        "messages": [line.id for line in made.messages],
        "experiences": [each.id for each in made.experiences],
        "left_out": [told(each) for each in made.left_out],
        "session_cache": made.cached,
    }


def told(left: LeftOut) -> dict[str, Any]:
    """What was left out, as it is recorded and answered."""
    which = {"id": left.id} if left.id else {"number": left.number, "count": left.count}
    return {"what": left.what, **which, "tokens": left.tokens, "reason": left.reason}
