"""SWE-agent trajectories (`.traj`): one run a file, told twice, as `trajectory` (steps) and as `history` (chat).

The steps are what is imported. From the history come only the messages before the first step (system, demonstrations,
the problem) and what it knows better about a step: its tool calls, and the observation as the model got to see it.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from memory.events.facts import text_of
from memory.imports.decoding import UndecodableError, decode
from memory.imports.fields import Fields, mapping, milliseconds, present, sequence, string
from memory.imports.files import Record, records
from memory.imports.outline import outline
from memory.imports.run import Run, Skipped
from memory.imports.transcript import Transcript, run_key
from memory.vocabulary import EventType, MessageRole

NAME = "swe_agent"

# What an action that is no function call is typed into.
SHELL = "shell"
SUBMITTED = "submitted"
# What the prompt that states a problem has before and after it.
_BEFORE_ISSUE, _AFTER_ISSUE = "ISSUE:\n", "\nINSTRUCTIONS:"
_STATED = "the agent's own: whether the submission is right is not recorded"


def matches(path: Path, head: bytes) -> bool:
    """See `Format.matches`."""
    keys = outline(head)
    if {"trajectory[].action", "trajectory[].observation"} <= keys:
        return True
    return ".traj" in path.suffixes and not keys.isdisjoint({"trajectory[]", "history[]"})


def read(path: Path) -> Iterator[Run | Skipped]:
    """See `Format.read`."""
    for record in records(path):
        if isinstance(record, Skipped):
            yield record
        elif not isinstance(mapping(record.value).get("trajectory"), list):
            yield Skipped(record.where, "is not a SWE-agent run: it has no list `trajectory`")
        else:
            yield from _run(path, record)


def _run(path: Path, record: Record) -> Iterator[Run | Skipped]:
    run: Fields = record.value
    info = mapping(run.get("info"))
    config = mapping(run.get("replay_config"))
    problem_statement = mapping(config.get("problem_statement"))
    history = [message for message in sequence(run.get("history")) if string(mapping(message).get("role"))]
    prologue = _prologue(history)
    problem = string(problem_statement.get("text")) or _problem(prologue)
    exit_status = string(info.get("exit_status"))
    transcript = Transcript(record.where)
    if exit_status:
        transcript.add(EventType.TASK_CREATED, {"input": problem})
    for message in prologue:
        demonstration = {"is_demo": True} if message.get("is_demo") else None
        transcript.message(message["role"], message.get("content"), metadata=demonstration)
    steps = _tell_steps(transcript, run["trajectory"], history[len(prologue) :])
    if exit_status:
        output = {"exit_status": exit_status, "submission": info.get("submission"), "verdict": _STATED}
        ending = EventType.TASK_COMPLETED if exit_status == SUBMITTED else EventType.TASK_FAILED
        transcript.add(ending, {"output": output})
    model = string(mapping(mapping(config.get("agent")).get("model")).get("name"))
    yield from transcript.finish(
        key=run_key("swe-agent", content=run),
        title=problem.strip().partition("\n")[0],
        agent_id=f"swe-agent/{model}" if model else "swe-agent",
        counts={"steps": steps},
        metadata={
            "instance": string(problem_statement.get("id")) or path.name.partition(".traj")[0],
            "environment": string(run.get("environment")),
            "exit_status": exit_status,
            # Totals of the whole run: the origin does not say which answer took how many tokens.
            "model_stats": mapping(info.get("model_stats")),
        },
    )


def _prologue(history: list[Fields]) -> list[Fields]:
    """The messages before the first answer that is not part of a demonstration."""
    answers = (message["role"] == MessageRole.ASSISTANT and not message.get("is_demo") for message in history)
    return history[: next((place for place, is_answer in enumerate(answers) if is_answer), len(history))]


def _problem(prologue: list[Fields]) -> str:
    """The problem out of the prompt that states it, or else all of that prompt."""
    prompts = [text_of(message.get("content")) for message in prologue if message["role"] == MessageRole.USER]
    for prompt in prompts:
        issue, ended, _ = prompt.partition(_BEFORE_ISSUE)[2].partition(_AFTER_ISSUE)
        if ended:
            return issue.strip()
    return prompts[-1] if prompts else ""


def _tell_steps(transcript: Transcript, steps: list[Any], history: list[Fields]) -> int:
    """Tell the steps, each with its place in the history if it has one. How many there are."""
    told = 0
    place = 0
    for number, step in enumerate(steps, start=1):
        if not isinstance(step, dict):
            transcript.skip(f"step {number}", "is no step: it is not an object")
            continue
        answer, reply = _in_history(step, history[place : place + 2])
        if answer:
            place += 2 if reply else 1
        _tell_step(transcript, step, answer, reply)
        told += 1
    left = len(history) - place
    if left > 0:
        transcript.skip("history", f"{left} of its messages belong to no step of the trajectory")
    return told


def _in_history(step: Fields, following: list[Fields]) -> tuple[Fields, Fields]:
    """The history's answer that is this step, and the reply to it, out of its next two messages; {} for none.

    Steps whose answer had to be asked for again are missing in some histories.
    """
    if not following or following[0]["role"] != MessageRole.ASSISTANT:
        return {}, {}
    answer = following[0]
    if string(answer.get("action")).strip() != string(step.get("action")).strip():
        return {}, {}
    reply = following[1] if len(following) > 1 else {}
    return answer, reply if reply.get("role") in (MessageRole.USER, MessageRole.TOOL) else {}


def _tell_step(transcript: Transcript, step: Fields, answer: Fields, reply: Fields) -> None:
    action, observation = string(step.get("action")), string(step.get("observation"))
    calls = transcript.chat_calls(answer.get("tool_calls"))
    derived = None
    if not calls and action.strip():
        typed = {"function": {"name": SHELL, "arguments": {"command": action.strip("\n")}}}
        calls = transcript.chat_calls([typed])
        derived = {"tool_calls": "made from the action: the model typed it into its text"}
    content = string(step.get("response")) or string(step.get("thought"))
    asking = transcript.message(MessageRole.ASSISTANT, content, tool_calls=calls, metadata=derived)
    for call in calls:
        transcript.ask(call, causes=asking)
    seen = reply.get("content") or observation
    if not calls:
        if seen:
            transcript.message(MessageRole.USER, seen)
        return
    result = transcript.result(
        calls[0]["id"],
        "",
        observation,
        metadata=present({"state": _state(step.get("state"))}),
        duration_ms=milliseconds(step.get("execution_time")),
    )
    transcript.answer(result, seen)


def _state(value: Any) -> Any:
    """The environment after a step; older runs have it as JSON text."""
    try:
        return decode(value) if isinstance(value, str) else value
    except UndecodableError:
        return value
