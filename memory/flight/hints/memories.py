"""What was remembered and turned out wrong. Pure."""

import re
from collections.abc import Iterator, Mapping

from memory.events import facts as told
from memory.flight.hints.data import Found, Kind, Memory, Move, Place, Scene, keep
from memory.flight.hints.values import Value, differ, facts, kind_of, plain
from memory.flight.hints.wording import excerpt, named
from memory.vocabulary import EventType, HintRule

MOST_MEMORIES = 20
# So many answers after a recall may still speak of it.
ANSWERS = 4
_DENIES = re.compile(
    r"\b(?:memory|memories|remember\w*|recall\w*|experience|stored (?:note|fact)|notes? (?:say|said)s?)\b[^.\n]{0,80}"
    r"\b(?:outdated|out of date|wrong|no longer|incorrect|not (?:true|valid|right|current)|stale|obsolete|contradict\w*)"
    r"|\b(?:contrary to|contradict\w*|differs? from|outdated|wrong|stale)\b[^.\n]{0,40}\b(?:memory|memories|remembered"
    r"|recalled|experience|notes)\b|(?:记忆|经验|记得)[^。\n]{0,30}(?:过时|不再|错误|不对|有误|矛盾)",
    re.IGNORECASE,
)


def contradicted_memories(scene: Scene, memory: Memory) -> Iterator[Found]:
    """A recalled memory that a result contradicts in a value that both name alike, or that an answer calls wrong."""
    if scene.step.type == EventType.MEMORY_RECALLED:
        _remember(scene, memory)
    for move in scene.moves:
        if move.kind is Kind.RETURNED and not scene.step.is_error:
            yield from _compare(move, scene, memory)
        elif move.kind is Kind.SAID and memory.get("recalled"):
            yield from _denied(move, scene, memory)


def _remember(scene: Scene, memory: Memory) -> None:
    results = scene.step.payload.get("results")
    found = [each for each in results if isinstance(each, Mapping)] if isinstance(results, list) else []
    if not found:
        return
    memory["recalled"] = [scene.here.version, scene.here.tokens]
    memory["answers"] = 0
    for each in found[:MOST_MEMORIES]:
        values = facts(told.string(each, "text"))
        if values:
            entry = {"version": scene.here.version, "tokens": scene.here.tokens, "facts": values}
            keep(memory, "memories", entry, MOST_MEMORIES)


def _compare(move: Move, scene: Scene, memory: Memory) -> Iterator[Found]:
    entries = memory.get("memories")
    if not entries:
        return
    now = facts(move.text)
    for entry in list(entries):
        for label, value in entry["facts"].items():
            if label in now and differ(Value(kind_of(value), plain(value), "", ""), now[label]):
                entries.remove(entry)
                sentence = (
                    f"The memory recalled here says {label} {plain(value)}, the result of {named(move.tool)} says "
                    f"{plain(now[label])}."
                )
                at = Place(entry["version"], entry["tokens"])
                yield Found(HintRule.CONTRADICTED_MEMORY, at, (entry["version"], scene.here.version), sentence)
                break


def _denied(move: Move, scene: Scene, memory: Memory) -> Iterator[Found]:
    memory["answers"] += 1
    if memory["answers"] > ANSWERS:
        memory.pop("recalled")
    elif _DENIES.search(excerpt(move.text)):
        at = Place(*memory.pop("recalled"))
        sentence = "An answer calls what was recalled here wrong or out of date."
        yield Found(HintRule.CONTRADICTED_MEMORY, at, (at.version, scene.here.version), sentence)
