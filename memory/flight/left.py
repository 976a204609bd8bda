"""What had left the context at a step: the messages and experiences that the newest prompt no longer held, since when,
and what memory had made of them. Needs a tenant's scope."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from memory.errors import NotFound
from memory.events import facts, history
from memory.flight import seen, timeline
from memory.flight.seen import Presence, Prompt
from memory.models import Event, Experience, Source, Stream
from memory.vocabulary import EventType

# How far back is looked: what left longer ago is counted by nobody at a step.
MOST_MESSAGES = 200
MOST_PROMPTS = 50
_PROMPTS = (EventType.LLM_CALL, EventType.CONTEXT_BUILT)


@dataclass(frozen=True, slots=True)
class Message:
    """A message of the run, where it was seen, and the ids of the experiences that rest on it."""

    version: int
    role: str
    summary: str
    presence: Presence
    experiences: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Recalled:
    """An experience that an earlier context held. `text` is empty where it is no longer in memory."""

    id: str
    text: str
    last_in: int
    left_at: int


@dataclass(frozen=True, slots=True)
class Context:
    """What the newest prompt up to a step held and did not hold. `prompt` is its version, None where none is recorded:
    then nothing is known. `left_out` is what a context built here says it left out, with its reasons. `is_whole` says
    that no earlier message or prompt was passed over."""

    version: int
    prompt: int | None
    kind: str
    held: list[Message]
    left: list[Message]
    never: list[Message]
    experiences_left: list[Recalled]
    left_out: list[dict[str, Any]]
    is_whole: bool


def context_at(stream: Stream, version: int) -> Context:
    """What had left the context when event `version` was recorded, of the newest MOST_MESSAGES messages up to it.

    A message that was said after the newest prompt has not been in one yet, and is left out of the answer.

    Raises:
        NotFound: the stream has not come to this version.
    """
    if not 0 <= version <= stream.version:
        raise NotFound(f"Stream {stream.name} has versions 0 to {stream.version}, not {version}.")
    asked = history.of_types(stream, _PROMPTS, MOST_PROMPTS + 1, up_to=version, newest_first=True)
    shown = asked[:MOST_PROMPTS][::-1]
    if not shown:
        return Context(version, None, "", [], [], [], [], [], is_whole=True)
    newest = shown[-1]
    said = history.of_types(
        stream, [EventType.MESSAGE_ADDED], MOST_MESSAGES + 1, up_to=newest.version - 1, newest_first=True
    )
    messages = _messages(
        stream, said[:MOST_MESSAGES][::-1], [seen.prompt(each.version, each.payload) for each in shown]
    )
    left_out = newest.payload.get("left_out")
    return Context(
        version=version,
        prompt=newest.version,
        kind=timeline.kind(newest.type),
        held=[each for each in messages if each.presence.last_in == newest.version],
        left=[each for each in messages if each.presence.has_left],
        never=[each for each in messages if each.presence.last_in is None],
        experiences_left=_experiences(shown),
        left_out=[each for each in left_out if isinstance(each, dict)] if isinstance(left_out, list) else [],
        is_whole=len(asked) <= MOST_PROMPTS and len(said) <= MOST_MESSAGES,
    )


def _messages(stream: Stream, said: Sequence[Event], prompts: Sequence[Prompt]) -> list[Message]:
    learned = _learned(stream, [event.version for event in said])
    return [
        Message(
            version=event.version,
            role=facts.string(event.payload, "role"),
            summary=timeline.summary(event.type, event.payload),
            presence=seen.presence(event.version, seen.marks(event.payload), prompts),
            experiences=tuple(learned[event.version]),
        )
        for event in said
    ]


def _learned(stream: Stream, versions: Iterable[int]) -> defaultdict[int, list[str]]:
    """The experiences that rest on these events."""
    found: defaultdict[int, list[str]] = defaultdict(list)
    sources = Source.objects.filter(stream_name=stream.name, event_version__in=list(versions)).order_by("experience_id")
    for version, experience in sources.values_list("event_version", "experience_id"):
        found[version].append(experience)
    return found


def _experiences(prompts: Sequence[Event]) -> list[Recalled]:
    """The experiences of earlier contexts that the newest one does not hold."""
    contexts = [(event.version, _named(event)) for event in prompts if event.type == EventType.CONTEXT_BUILT]
    if not contexts:
        return []
    last_in = {name: version for version, names in contexts for name in names}
    gone = {name: version for name, version in last_in.items() if version != contexts[-1][0]}
    known = Experience.objects.by_id(gone)
    return [
        Recalled(
            id=name,
            text=known[name].problem or known[name].solution if name in known else "",
            last_in=version,
            left_at=next(later for later, _ in contexts if later > version),
        )
        for name, version in gone.items()
    ]


def _named(event: Event) -> list[str]:
    told = event.payload.get("experiences")
    return [name for name in told if isinstance(name, str)] if isinstance(told, list) else []
