"""Two runs compared: where they part, why, and what each came to after that. Needs a tenant's scope."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from memory.events import facts, history
from memory.flight import alignment, timeline
from memory.flight.alignment import Act, Alignment, Beside
from memory.flight.trace import step_of
from memory.models import Event, Stream
from memory.vocabulary import EventType

# Of longer runs the beginning is compared: it is there that they part.
MOST_EVENTS = 5000

# What kind of thing the runs part at says who brought the difference in.
_WHY = {
    EventType.MESSAGE_ADDED: "what was said to or by the agent differs",
    EventType.LLM_CALL: "the model was asked something else",
    EventType.LLM_RESPONSE: "the model answered the same prompt differently",
    EventType.TOOL_CALL: "the agent called otherwise",
    EventType.TOOL_RESULT: "the same call was answered differently",
    EventType.MEMORY_RECALLED: "memory gave something else",
    EventType.CONTEXT_BUILT: "another context was built",
    EventType.TASK_CREATED: "they were given different tasks",
}
_ENDED = "one of them ends here"
_ELSE = "they did different things"


@dataclass(frozen=True, slots=True)
class After:
    """What a run came to behind the point where the two part. Tokens are those that a provider reported."""

    events: int
    errors: int
    model_calls: int
    tool_calls: int
    tokens: int
    outcome: str


@dataclass(frozen=True, slots=True)
class Comparison:
    """Both runs side by side. `why` says in words at what they part; empty where they never do. `is_whole` says that
    neither is longer than what was compared."""

    a: Stream
    b: Stream
    alignment: Alignment
    why: str
    after_a: After
    after_b: After
    is_whole: bool

    @property
    def parting(self) -> Beside | None:
        """The first line that is not the same."""
        at = self.alignment.parts_at
        return None if at is None else self.alignment.lines[at]


@dataclass(frozen=True, slots=True)
class _Read:
    """What is kept of an event that was read: payloads may be large, and two whole runs are held."""

    act: Act
    type: str
    is_error: bool
    tokens: int


def compare(a: Stream, b: Stream) -> Comparison:
    """Compare two runs of the tenant, the first MOST_EVENTS events of each.

    Raises:
        Gone: retention has dropped the beginning of one of them.
    """
    ones, others = _read(a), _read(b)
    aligned = alignment.align([read.act for read in ones], [read.act for read in others])
    return Comparison(
        a=a,
        b=b,
        alignment=aligned,
        why=_why(aligned, ones, others),
        after_a=_after(a, ones, [line.a for line in _behind(aligned)]),
        after_b=_after(b, others, [line.b for line in _behind(aligned)]),
        is_whole=max(a.version, b.version) <= MOST_EVENTS,
    )


def rows(stream: Stream, versions: Iterable[int | None]) -> dict[int, timeline.Row]:
    """The timeline's rows of these versions, by version."""
    wanted = {version for version in versions if version is not None}
    if not wanted:
        return {}
    found = timeline.window(stream, min(wanted), max(wanted))
    return {row.version: row for row in found if row.version in wanted}


def _read(stream: Stream) -> list[_Read]:
    return [
        _Read(act, event.type, event.is_error, sum(facts.tokens(event.type, event.payload)))
        for event in history.walk(stream, 1, min(stream.version, MOST_EVENTS))
        if (act := _act(event))
    ]


def _act(event: Event) -> Act | None:
    return alignment.act_of(step_of(event))


def _behind(aligned: Alignment) -> list[Beside]:
    return [] if aligned.parts_at is None else aligned.lines[aligned.parts_at :]


def _why(aligned: Alignment, ones: Sequence[_Read], others: Sequence[_Read]) -> str:
    behind = _behind(aligned)
    if not behind:
        return ""
    one = next((line.a for line in behind if line.a is not None), None)
    other = next((line.b for line in behind if line.b is not None), None)
    if one is None or other is None:
        return _ENDED
    types = {read.type for read in ones if read.act.version == one}
    types |= {read.type for read in others if read.act.version == other}
    return _WHY.get(EventType(types.pop()), _ELSE) if len(types) == 1 and types <= set(EventType) else _ELSE


def _after(stream: Stream, read: Sequence[_Read], versions: Iterable[int | None]) -> After:
    behind = {version for version in versions if version is not None}
    events = [one for one in read if one.act.version in behind]
    return After(
        events=len(events),
        errors=sum(one.is_error for one in events),
        model_calls=sum(one.type == EventType.LLM_RESPONSE for one in events),
        tool_calls=sum(one.type == EventType.TOOL_CALL for one in events),
        tokens=sum(one.tokens for one in events),
        outcome=stream.outcome,
    )
