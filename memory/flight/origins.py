"""Where a text came from: by its ids, else by its words. Pure."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from memory.events import facts
from memory.flight.pieces import Fingerprint, Pieces, digest, fingerprint
from memory.flight.trace import Step
from memory.vocabulary import EventType, LinkReason

# What a step brings that may be shown to a model later; of types of the client's own, those with a text do.
TELLING = frozenset({EventType.MESSAGE_ADDED, EventType.TOOL_RESULT, EventType.LLM_RESPONSE, EventType.TASK_CREATED})
# How likely it is that a link is true which was found in such a way. Of parts it depends on how many agree: each halves
# the doubt that one text is from the other, down to what is left of it at last.
CERTAINTY = {
    LinkReason.CAUSATION_ID: 1.0,
    LinkReason.SAME_ID: 1.0,
    LinkReason.SAME_TEXT: 0.95,
    LinkReason.NAME_AND_ORDER: 0.8,
    LinkReason.ORDER: 0.5,
    LinkReason.SAID_SINCE: 0.5,
}
LEAST_DOUBT = 0.1
# Pieces that must agree, unless one is a third of all.
FEWEST_PARTS = 2
# Events that one text may be from.
MOST_ORIGINS = 50
# Who speaks from here on, in a prompt that is one text: as chats are written down, and ReAct (Yao et al., 2023).
_SPEAKS = re.compile(
    r"^\W{0,4}(?:system|user|human|assistant|ai|agent|tool|function|thought|action(?: input)?|observation|question"
    r"|(?:final )?answer|result)\W{0,4}:",
    re.IGNORECASE | re.MULTILINE,
)


@dataclass(frozen=True, slots=True)
class Origin:
    """An event that a text is from, by its version."""

    version: int
    how: LinkReason
    certainty: float

    @classmethod
    def by(cls, version: int, how: LinkReason) -> "Origin":
        """The event as it was found in a way that has one certainty."""
        return cls(version, how, CERTAINTY[how])

    @classmethod
    def by_parts(cls, version: int, count: int) -> "Origin":
        """The event as so many parts tell it that it shares."""
        return cls(version, LinkReason.SAME_PARTS, 1 - max(0.5**count, LEAST_DOUBT))


@dataclass(frozen=True, slots=True)
class Unit:
    """A part of a prompt: a message, or the id of something that is in it. `key` is the same where all of it is;
    `ids` are digests of ids that name where it is from; `version` where that is known by the order of events."""

    key: str
    text: str = ""
    ids: tuple[int, ...] = ()
    version: int | None = None


class Names:
    """Digests of what names events, and of what they tell, under a stream's key."""

    def __init__(self, key: bytes) -> None:
        self._key = key

    def event(self, event_id: str) -> list[int]:
        """The event itself, as a causation id names it."""
        return self._of("event", event_id)

    def asked(self, call_id: str) -> list[int]:
        """The answer that asks for a tool call."""
        return self._of("asked", call_id)

    def called(self, call_id: str) -> list[int]:
        """The tool call."""
        return self._of("called", call_id)

    def brought(self, call_id: str) -> list[int]:
        """The result of a tool call, or the message that hands it on."""
        return self._of("brought", call_id)

    def prompt(self, call_id: str) -> list[int]:
        """The prompt of a model call."""
        return self._of("prompt", call_id)

    def message(self, message_id: str) -> list[int]:
        """The message of a session."""
        return self._of("message", message_id)

    def experience(self, experience_id: str) -> list[int]:
        """The recall of an experience."""
        return self._of("experience", experience_id)

    def print_of(self, text: str) -> Fingerprint:
        """The fingerprint of a text."""
        return fingerprint(text, self._key)

    def unit(self, text: str, *more: str, ids: Iterable[int] = (), version: int | None = None) -> Unit:
        """A part of a prompt with this text; `more` is what tells it apart from others that say the same."""
        key = digest(self._key, "unit", "\0".join((*more, str(version), text)))
        return Unit(f"{key & (2**64 - 1):016x}", text, tuple(ids), version)

    def units(self, step: Step) -> Iterator[Unit]:
        """What a prompt consists of: its messages, else its text, cut where somebody else speaks; a context of the ids
        of what is in it."""
        if step.type == EventType.CONTEXT_BUILT:
            for message_id in _ids(step.payload.get("messages")):
                yield self.unit("", "message", message_id, ids=self.message(message_id))
            for experience_id in _ids(step.payload.get("experiences")):
                yield self.unit("", "experience", experience_id, ids=self.experience(experience_id))
            return
        for given in step.given:
            asked = [call.call_id for call in given.asked]
            ids = self.brought(given.call_id) + [found for call_id in asked for found in self.asked(call_id)]
            yield self.unit(given.text, given.role, given.call_id, *asked, ids=ids)
        for section in _SPEAKS.split("" if step.given else step.text):
            if section.strip():
                yield self.unit(section)

    def kept(self, step: Step) -> set[int]:
        """All digests that a step is found by later."""
        kept = self.event(step.event_id)
        if step.type == EventType.TOOL_CALL:
            kept += self.called(step.call_id)
        elif step.is_result:
            kept += self.brought(step.call_id)
        elif step.is_prompt:
            kept += self.prompt(facts.string(step.payload, "call_id"))
        elif step.type == EventType.MEMORY_RECALLED:
            for found in _recalled(step):
                kept += self.experience(facts.string(found, "id"))
                kept += self.print_of(facts.string(found, "text")).kept
        for call in step.asked:
            kept += self.asked(call.call_id)
        if step.type == EventType.MESSAGE_ADDED:
            kept += self.message(facts.string(step.payload, "message_id"))
        if is_telling(step):
            kept += self.print_of(step.text).kept
        return set(kept)

    def _of(self, kind: str, name: str) -> list[int]:
        return [digest(self._key, kind, name)] if name else []


def is_telling(step: Step) -> bool:
    """Whether it brings a text that may be shown to a model."""
    return step.type in TELLING or (facts.family(step.type) == facts.OTHER_FAMILY and bool(step.text))


def find(units: Sequence[Unit], names: Names, seen: Pieces) -> list[list[Origin]]:
    """Where each of these is from: an empty list for what is from nowhere that is known."""
    by_id = seen.versions_of({name for unit in units for name in unit.ids})
    found = [_by_id(unit, by_id) for unit in units]
    prints = {
        place: names.print_of(unit.text) for place, unit in enumerate(units) if not found[place] and unit.text.strip()
    }
    by_whole = seen.versions_of({each.whole for each in prints.values() if each.whole is not None})
    for place, each in prints.items():
        if each.whole is not None and each.whole in by_whole:
            found[place] = [Origin.by(by_whole[each.whole], LinkReason.SAME_TEXT)]
    others = {place: each for place, each in prints.items() if not found[place]}
    by_part = seen.versions_of({part for each in others.values() for part in each.sought})
    for place, each in others.items():
        found[place] = _by_parts(each, by_part)
    return found


def _by_id(unit: Unit, by_id: Mapping[int, int]) -> list[Origin]:
    if unit.version is not None:
        return [Origin.by(unit.version, LinkReason.ORDER)]
    named = _at(unit.ids, by_id)
    return [Origin.by(max(named), LinkReason.SAME_ID)] if named else []


def _by_parts(told: Fingerprint, by_part: Mapping[int, int]) -> list[Origin]:
    shared = Counter(_at(told.parts, by_part))
    fewest = min(FEWEST_PARTS, (len(told.parts) + 2) // 3)
    return [Origin.by_parts(version, count) for version, count in shared.most_common(MOST_ORIGINS) if count >= fewest]


def _at(digests: Iterable[int], versions: Mapping[int, int]) -> list[int]:
    return [versions[each] for each in digests if each in versions]


def _ids(value: Any) -> list[str]:
    return [each for each in value if isinstance(each, str)] if isinstance(value, list) else []


def _recalled(step: Step) -> list[facts.Payload]:
    results = step.payload.get("results")
    return [each for each in results if isinstance(each, Mapping)] if isinstance(results, list) else []
