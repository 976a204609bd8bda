"""Answers that do not fit what came before them: another value than the result, or a success that was none. Pure."""

from collections.abc import Iterator
from typing import Any

from memory.flight.hints.data import Found, Kind, Memory, Move, Place, Scene, keep
from memory.flight.hints.moves import written
from memory.flight.hints.values import Value, differ, facts, ids, is_called, is_slip, plain, plain_values, values
from memory.flight.hints.wording import admits, claims_success, named, prose
from memory.vocabulary import EventType, HintRule

MOST_RESULTS = 4
MOST_KNOWN = 400
MOST_IDS = 100


def contradictions(scene: Scene, memory: Memory) -> Iterator[Found]:
    """A number, date or identifier in an answer that differs from what the newest results called the same.

    A value that occurred anywhere before, in a result, a request or a call, is no contradiction: it has another source.
    """
    for move in scene.moves:
        match move.kind:
            case Kind.RETURNED if not scene.step.is_error:
                told = facts(move.text)
                if told:
                    entry = {"version": scene.here.version, "tool": move.tool, "facts": told}
                    keep(memory, "results", entry, MOST_RESULTS)
                _learn(move.text, memory)
                for name in ids(move.text):
                    keep(memory, "ids", [name, scene.here.version], MOST_IDS)
            case Kind.ASKED | Kind.RETURNED:
                _learn(move.text, memory)
            case Kind.CALLED:
                _learn(written(move.arguments), memory)
            case Kind.SAID:
                yield from _check(move, scene.here, memory)
                _learn(move.text, memory)


def _learn(text: str, memory: Memory) -> None:
    """Remember the values of a text, the newest ones."""
    known: list[str] = memory.setdefault("known", [])
    there = set(known)
    known += [value for value in plain_values(text) if value not in there]
    del known[:-MOST_KNOWN]


def _check(move: Move, here: Place, memory: Memory) -> Iterator[Found]:
    known = set(memory.get("known", ()))
    for quoted in values(prose(move.text)):
        if quoted.text in known:
            continue
        found = _other_value(quoted, memory.get("results", ())) or _slip(quoted, memory.get("ids", ()))
        if found:
            version, sentence = found
            yield Found(HintRule.CONTRADICTED_RESULT, here, (version, here.version), sentence)
            return


def _other_value(quoted: Value, results: Any) -> tuple[int, str] | None:
    for result in reversed(results):
        for label, told in result["facts"].items():
            if is_called(quoted, label) and differ(quoted, told):
                tool = named(result["tool"])
                return result[
                    "version"
                ], f"The answer says {label} {quoted.text}, the result of {tool} says {plain(told)}."
    return None


def _slip(quoted: Value, known: Any) -> tuple[int, str] | None:
    if quoted.kind != "id":
        return None
    near = [entry for entry in known if is_slip(quoted.text, entry[0])]
    if len(near) != 1:
        return None
    name, version = near[0]
    return version, f"The answer names {quoted.text}, which no result holds; one holds {name}."


def unearned_success(scene: Scene, memory: Memory) -> Iterator[Found]:
    """A claim of success where the newest call failed, or nothing was done at all."""
    step = scene.step
    for move in scene.moves:
        if move.kind is Kind.RETURNED:
            _note_result(move, scene, memory)
        elif move.kind is Kind.ASKED:
            memory.pop("failed", None)
        elif move.kind is Kind.SAID and move.text.strip():
            yield from _judge(move, scene.here, memory)
    if step.type == EventType.STEP_FAILED:
        memory["step"] = [step.version, str(step.payload.get("step", ""))[:80]]
    elif step.type in {EventType.STEP_STARTED, EventType.STEP_COMPLETED, EventType.TASK_CREATED, EventType.TASK_FAILED}:
        memory.pop("step", None)
    elif step.type == EventType.TASK_COMPLETED and "step" in memory:
        version, name = memory.pop("step")
        sentence = f"The task is reported as completed right after step {name or version} failed."
        yield Found(HintRule.UNEARNED_SUCCESS, scene.here, (version, step.version), sentence)


def _note_result(move: Move, scene: Scene, memory: Memory) -> None:
    """Remember the newest call that failed; one that went well makes up for one of the same tool."""
    failed = memory.get("failed")
    if scene.step.is_error:
        memory["failed"] = [scene.here.version, move.tool]
    elif failed and failed[1] == move.tool:
        memory.pop("failed")


def _judge(move: Move, here: Place, memory: Memory) -> Iterator[Found]:
    failed = memory.get("failed")
    if not failed or move.asks:
        return
    memory.pop("failed")
    claim = claims_success(move.text)
    if claim and not admits(move.text):
        version, tool = failed
        sentence = f"The answer claims success, and {named(tool)} had failed right before, which nothing repaired."
        yield Found(HintRule.UNEARNED_SUCCESS, here, (version, here.version), sentence)
