"""Results that should have made the agent think, and did not: empty, failed, cut off, or never read. Pure."""

from collections.abc import Iterator
from typing import Any

from memory.flight.hints.data import Found, Kind, Memory, Move, Place, Scene, keep
from memory.flight.hints.doubts import TRUNCATED, doubt, is_query
from memory.flight.hints.moves import NAME_LENGTH
from memory.flight.hints.wording import admits, is_partial, named
from memory.vocabulary import EventType, HintRule

MOST_DOUBTS = 10
MOST_UNREAD = 20
# So many prompts after a result, of the agent that asked for it, show that it was not read.
PROMPTS_TO_BE_READ = 2
# So much of a result, found in so much of one of a prompt's messages, shows that it was read, in characters.
RECOGNISED_BY = 80
MOST_OF_A_MESSAGE = 20_000


def doubtful_results(scene: Scene, memory: Memory) -> Iterator[Found]:
    """A doubtful result that the next thing said takes for a good one, or a final answer from one that was cut off.

    It is passed over where what is said admits to any doubt, the same tool is asked again, or another search brought
    something in between. That an answer was final is known when somebody asks for the next thing, or the task ends,
    without another call.
    """
    doubts: list[dict[str, Any]] = memory.setdefault("doubts", [])
    for move in scene.moves:
        match move.kind:
            case Kind.RETURNED:
                _weigh(move, scene, memory)
            case Kind.CALLED:
                memory.pop("cut", None)
            case Kind.PROMPTED:
                for entry in doubts:
                    entry.setdefault("prompt", scene.here.version)
            case Kind.ASKED:
                doubts.clear()
                yield from _answered(memory)
            case Kind.SAID:
                yield from _judge(move, scene.here, doubts)
                _note_answer(move, scene.here, memory)
    if scene.step.type in {EventType.TASK_COMPLETED, EventType.AGENT_STOPPED}:
        yield from _answered(memory)


def _weigh(move: Move, scene: Scene, memory: Memory) -> None:
    """Remember a doubtful result; a good one makes up for those before it."""
    memory.pop("cut", None)
    if scene.step.is_error:
        return
    found = doubt(move.text, move.tool)
    entry = {"version": scene.here.version, "tokens": scene.here.tokens, "tool": move.tool}
    if found is TRUNCATED:
        memory["cut"] = entry
    if found and found is not TRUNCATED:
        keep(memory, "doubts", {**entry, "rule": found.rule, "what": found.is_what}, MOST_DOUBTS)
    else:
        doubts = memory["doubts"]
        doubts[:] = [entry for entry in doubts if not (is_query(move.tool) or entry["tool"] == move.tool)]


def _judge(move: Move, here: Place, doubts: list[dict[str, Any]]) -> Iterator[Found]:
    """What is said after doubtful results settles them all, unless nothing is said but that other tools are asked."""
    doubts[:] = [entry for entry in doubts if entry["tool"] not in move.asks]
    if not move.text.strip():
        return
    for entry in [] if doubts and admits(move.text) else doubts:
        evidence = sorted({entry["version"], entry.get("prompt", entry["version"]), here.version})
        sentence = (
            f"The result of {named(entry['tool'])} {entry['what']}, and what was said next goes on as if nothing were "
            "amiss."
        )
        at = Place(entry["version"], entry["tokens"])
        yield Found(HintRule(entry["rule"]), at, tuple(evidence), sentence)
    doubts.clear()


def _note_answer(move: Move, here: Place, memory: Memory) -> None:
    """Remember what may be the final answer from a result that was cut off."""
    if "cut" not in memory or move.asks or not move.text.strip():
        return
    memory["cut"]["answer"] = here.version
    if is_partial(move.text):
        memory.pop("cut")


def _answered(memory: Memory) -> Iterator[Found]:
    entry = memory.pop("cut", None)
    if entry and "answer" in entry:
        sentence = f"The result of {named(entry['tool'])} {TRUNCATED.is_what}, and the answer does not say so."
        at = Place(entry["version"], entry["tokens"])
        yield Found(HintRule.TRUNCATED_RESULT, at, (entry["version"], entry["answer"]), sentence)


def unread_results(scene: Scene, memory: Memory) -> Iterator[Found]:
    """A result that none of the next prompts of the same agent holds, neither by its call's id nor by its text."""
    step = scene.step
    unread: list[dict[str, Any]] = memory.setdefault("unread", [])
    if step.type == EventType.TOOL_RESULT and step.text.strip():
        entry: dict[str, Any] = {
            "version": step.version, "tokens": scene.here.tokens, "tool": step.tool[:NAME_LENGTH],
            "id": step.call_id[:NAME_LENGTH],
            "start": _plain(step.text, RECOGNISED_BY), "prompts": 0,
        }  # fmt: skip
        keep(memory, "unread", entry, MOST_UNREAD)
    if not (step.is_prompt and step.given and unread):
        return
    if memory.get("agent", step.speaker) != step.speaker:
        # Several agents ask models here, and whose result it was is not told.
        memory["many"] = True
    memory["agent"] = step.speaker
    ids = {given.call_id[:NAME_LENGTH] for given in step.given if given.call_id}
    unread[:] = [entry for entry in unread if entry["id"] not in ids]
    if unread:
        told = [_plain(given.text, MOST_OF_A_MESSAGE) for given in step.given]
        unread[:] = [entry for entry in unread if not any(entry["start"] in text for text in told)]
    for entry in unread:
        entry["prompts"] += 1
    for entry in [entry for entry in unread if entry["prompts"] == PROMPTS_TO_BE_READ]:
        unread.remove(entry)
        if memory.get("many"):
            continue
        sentence = f"The result of {named(entry['tool'])} is in none of the prompts that followed it."
        at = Place(entry["version"], entry["tokens"])
        yield Found(HintRule.IGNORED_RESULT, at, (entry["version"], step.version), sentence)


def _plain(text: str, most: int) -> str:
    """A text's beginning without white space, signs and escapes, which formats change."""
    return "".join(char for char in text[:most] if char.isalnum())
