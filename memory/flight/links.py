"""Causal links of a run, found as its events arrive. Pure.

How they are found, and how certain each way is, is told in docs/flight.md.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

from memory.events import facts
from memory.flight import origins
from memory.flight.origins import CERTAINTY, Names, Origin
from memory.flight.pieces import Pieces
from memory.flight.saying import Said
from memory.flight.threads import Threads
from memory.flight.trace import Step
from memory.vocabulary import EventType, LinkKind, LinkReason

# Of what waits for its other half (calls for results, prompts for responses …) the newest are remembered.
MOST_WAITING = 64
WAITING: dict[str, str] = {
    EventType.TOOL_CALL: "calls",
    EventType.TOOL_RESULT: "results",
    EventType.LLM_CALL: "prompts",
    EventType.LLM_RESPONSE: "responses",
}
# Answers and ends follow what was done last, as far as nothing better is known.
ENDS = frozenset(
    {
        EventType.TASK_COMPLETED, EventType.TASK_FAILED, EventType.STEP_COMPLETED, EventType.STEP_FAILED,
        EventType.AGENT_CRASHED,
    }
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Link:
    """Two events of one stream, by their versions: `cause` is always the smaller one.

    What a prompt repeats of the prompt before it has no link of its own: ENTERED leads to the first prompt that has a
    text in it, CARRIED from the prompt that began a conversation to each one that goes on with it, and LEFT to the
    first prompt of it that lacks the text again. So a text is in a prompt if it ENTERED that prompt, or an earlier one
    of the same conversation and has not LEFT between them.
    """

    cause: int
    effect: int
    kind: LinkKind
    certainty: float
    how: LinkReason


class Linker:
    """A run as its causal links need it remembered. A step must be added once, in the order of versions.

    Args:
        state: what `state()` gave; None to begin.
        key: keeps digests from being guessed; the same one as long as `seen` is the same.
    """

    def __init__(self, state: dict[str, Any] | None, key: bytes) -> None:
        self._state: dict[str, Any] = {
            "asked": [], "calls": [], "results": [], "prompts": [], "responses": [], "threads": [], "said": {},
            "context": None, "last": None, "answer": None, **(state or {}),
        }  # fmt: skip
        self._names = Names(key)
        self._threads = Threads(self._state["threads"])
        self._said = Said(self._state["said"])

    def state(self) -> dict[str, Any]:
        """What must be kept to go on later: JSON, bounded however long the run is."""
        return self._state

    def add(self, step: Step, seen: Pieces) -> list[Link]:
        """The links that lead to this step."""
        named = seen.versions_of(self._names.event(step.causation_id)) if step.causation_id else {}
        explicit = next(iter(named.values()), None)
        links = list({(link.cause, link.kind): link for link in self._links(step, explicit, seen)}.values())
        if explicit is not None and not any(link.cause == explicit for link in links):
            links.insert(0, _link(Origin.by(explicit, LinkReason.CAUSATION_ID), step, LinkKind.EXPLICIT))
        self._remember(step, {link.cause for link in links if link.kind in (LinkKind.SAID, LinkKind.HANDED)})
        seen.add(step.version, self._names.kept(step))
        return links

    def _links(self, step: Step, explicit: int | None, seen: Pieces) -> Iterator[Link]:
        """The links that the step's own kind suggests. An explicit cause takes the place of any other single one."""
        single = partial(self._single, step, explicit, seen)
        if step.type == EventType.TOOL_CALL:
            yield from single(LinkKind.ASKED, "asked", self._names.asked(step.call_id), last=self._state["answer"])
        elif step.type == EventType.TOOL_RESULT:
            yield from single(LinkKind.ANSWERED, "calls", self._call_of(step))
        elif step.is_result:
            yield from self._handed_on(step, explicit, seen)
        elif step.is_prompt or step.type == EventType.CONTEXT_BUILT:
            yield from self._prompt(step, seen)
        elif step.is_answer:
            yield from self._answer(step, explicit, seen)
        elif step.type == EventType.MESSAGE_ADDED and explicit is None:
            yield from self._shown(step)
        elif step.type in ENDS and explicit is None:
            yield from self._end(step, seen)

    def _single(
        self,
        step: Step,
        explicit: int | None,
        seen: Pieces,
        kind: LinkKind,
        waiting: str,
        ids: list[int],
        *,
        last: int | None = None,
    ) -> list[Link]:
        """The link to the one cause: the explicit one, else by id, by name and order, or `last`."""
        queue = self._state[waiting]
        if explicit is not None:
            known = _take(queue, explicit, step.tool)
            return [_link(Origin.by(explicit, LinkReason.CAUSATION_ID), step, kind)] if known else []
        named = seen.versions_of(ids)
        found = next((Origin.by(named[each], LinkReason.SAME_ID) for each in ids if each in named), None)
        if found is None:
            found = _in_order(queue, step.call_id, step.tool) or (Origin.by(last, LinkReason.ORDER) if last else None)
        if found is None:
            return []
        _take(queue, found.version, step.tool)
        return [_link(found, step, kind)]

    def _call_of(self, step: Step) -> list[int]:
        """Ids of what a result answers: the call, or, where no call is recorded, the answer that asked for it."""
        return self._names.called(step.call_id) + self._names.asked(step.call_id)

    def _handed_on(self, step: Step, explicit: int | None, seen: Pieces) -> list[Link]:
        """A message of role tool hands on a result, or, where none is recorded, is the result itself."""
        handed = self._single(step, explicit, seen, LinkKind.HANDED, "results", self._names.brought(step.call_id))
        return handed or self._single(step, explicit, seen, LinkKind.ANSWERED, "calls", self._call_of(step))

    def _prompt(self, step: Step, seen: Pieces) -> Iterator[Link]:
        name = "context" if step.type == EventType.CONTEXT_BUILT else f"prompt {step.speaker}"
        find = partial(origins.find, names=self._names, seen=seen)
        units = list(self._names.units(step))
        if step.is_prompt and not units:
            yield from self._shown(step)
        if step.is_prompt and self._state["context"]:
            units.append(self._names.unit("", "context", version=self._state["context"]))
        if not units:
            return
        news = self._threads.add(step.version, name, units, find)
        for origin in news.entered:
            yield _link(origin, step, LinkKind.ENTERED)
        if news.began:
            yield _link(news.began, step, LinkKind.CARRIED)
            for version in news.left:
                yield Link(version, step.version, LinkKind.LEFT, news.began.certainty, news.began.how)

    def _answer(self, step: Step, explicit: int | None, seen: Pieces) -> Iterator[Link]:
        """A response answers its prompt, a message says its response; where neither is recorded, what was said since
        the speaker's last word stands for the prompt."""
        cause = self._response_of(step, explicit, seen) if step.type == EventType.MESSAGE_ADDED else None
        if cause:
            yield _link(cause, step, LinkKind.SAID)
        elif prompt := self._prompt_of(step, explicit, seen):
            yield _link(prompt, step, LinkKind.PROMPTED)
        else:
            yield from self._shown(step)
            if self._state["context"]:
                yield _link(Origin.by(self._state["context"], LinkReason.ORDER), step, LinkKind.ENTERED)

    def _response_of(self, step: Step, explicit: int | None, seen: Pieces) -> Origin | None:
        """The response that a message says, among those that none has said yet."""
        waiting = self._state["responses"]
        versions = [version for version, _, _ in waiting]
        if explicit is not None:
            found = Origin.by(explicit, LinkReason.CAUSATION_ID) if explicit in versions else None
        elif not versions:
            found = None
        elif not step.asked and not step.text.strip():
            found = Origin.by(versions[-1], LinkReason.ORDER)
        else:
            ids = [name for call in step.asked for name in self._names.asked(call.call_id)]
            from_where = origins.find([self._names.unit(step.text, ids=ids)], self._names, seen)[0]
            found = next((origin for origin in from_where if origin.version in versions), None)
        if found:
            _take(waiting, found.version)
        return found

    def _prompt_of(self, step: Step, explicit: int | None, seen: Pieces) -> Origin | None:
        """The prompt that a response answers. A message may answer one too, where no response is recorded."""
        waiting, call_id = self._state["prompts"], facts.string(step.payload, "call_id")
        if step.type == EventType.MESSAGE_ADDED:
            waiting = [each for each in waiting if each[0] > (self._state["answer"] or 0)]
        if explicit is not None:
            known = any(version == explicit for version, _, _ in waiting)
            found = Origin.by(explicit, LinkReason.CAUSATION_ID) if known else None
        else:
            named = seen.versions_of(self._names.prompt(call_id))
            by_id = next((Origin.by(version, LinkReason.SAME_ID) for version in named.values()), None)
            found = by_id or _in_order(waiting[::-1], call_id, facts.string(step.payload, "model"))
        if found:
            _take(self._state["prompts"], found.version)
        return found

    def _shown(self, step: Step) -> Iterator[Link]:
        """What a speaker can be taken to answer, where no prompt, or not what it said, is recorded."""
        began, since = self._said.before(step)
        if began is not None:
            yield _link(Origin.by(began, LinkReason.SAID_SINCE), step, LinkKind.CARRIED)
        for version in since:
            yield _link(Origin.by(version, LinkReason.SAID_SINCE), step, LinkKind.ENTERED)

    def _end(self, step: Step, seen: Pieces) -> Iterator[Link]:
        """The end of a task is what has the words of its output, else what was done last."""
        same = origins.find([self._names.unit(step.text)], self._names, seen)[0][:1]
        found = [origin for origin in same if origin.certainty > CERTAINTY[LinkReason.NAME_AND_ORDER]]
        if not found and self._state["last"]:
            found = [Origin.by(self._state["last"], LinkReason.ORDER)]
        for origin in found:
            yield _link(origin, step, LinkKind.ENDED)

    def _remember(self, step: Step, repeated: set[int]) -> None:
        """Put the step where its other half will look for it. `repeated` are the steps that it says once more."""
        if queue := WAITING.get(step.type):
            call_id = step.call_id or facts.string(step.payload, "call_id")
            self._wait(queue, step.version, call_id, step.tool or facts.string(step.payload, "model"))
        if step.type == EventType.CONTEXT_BUILT:
            self._state["context"] = step.version
        elif step.is_prompt or step.is_answer:
            self._state["context"] = None
        again = [waiting for waiting in self._state["asked"] if waiting[0] in repeated]
        for waiting in again:
            waiting[0] = step.version
        for call in () if again else step.asked:
            self._wait("asked", step.version, call.call_id, call.name)
        if step.is_answer:
            self._state["answer"] = step.version
        if step.is_answer or step.is_result:
            self._state["last"] = step.version
        self._said.add(step, repeated)

    def _wait(self, queue: str, version: int, call_id: str, name: str) -> None:
        self._state[queue].append([version, call_id, name])
        del self._state[queue][:-MOST_WAITING]


def _in_order(queue: list[Any], call_id: str, name: str) -> Origin | None:
    """The first that waits under this name; where either has no name, the first that waits at all. What has an id of
    its own is not taken for another's."""
    free = [waiting for waiting in queue if not (call_id and waiting[1] and call_id != waiting[1])]
    for version, _, waiting in free:
        if name and waiting == name:
            return Origin.by(version, LinkReason.NAME_AND_ORDER)
    for version, _, waiting in free:
        if not name or not waiting:
            return Origin.by(version, LinkReason.ORDER)
    return None


def _take(queue: list[Any], version: int, name: str = "") -> bool:
    """Let an entry of this version wait no longer, the one of this name if it can be; tells whether there was one."""
    places = [place for place, waiting in enumerate(queue) if waiting[0] == version]
    if places:
        del queue[next((place for place in places if queue[place][2] == name), places[0])]
    return bool(places)


def _link(origin: Origin, step: Step, kind: LinkKind) -> Link:
    return Link(origin.version, step.version, kind, origin.certainty, origin.how)
