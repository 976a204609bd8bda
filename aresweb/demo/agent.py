"""The agent's loop: ask the model, do what it says, tell it what came of it; and every bit of that is recorded."""

import json
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from itertools import count
from typing import Any

import psycopg

from aresweb.demo import model
from aresweb.demo.errors import RecorderError
from aresweb.demo.model import Call, Plan, Reply
from aresweb.demo.recorder import Event, Message, Payload, Run, now

AGENT_ID = "ops-agent"
SYSTEM_PROMPT = (
    "You are ops-agent. You look after a web shop: its database, its services and their configuration. Find the cause "
    "with your tools before you change anything, change as little as possible, and check what you changed. If no "
    "runbook says otherwise, RB-100 (restart the service) applies."
)

Tool = Callable[..., Any]


class ToolFailed(Exception):
    """A tool could not do what it was asked for. `details` tell the model more than the text."""

    def __init__(self, message: str, **details: Any) -> None:
        super().__init__(message)
        self.details = details


# What tools fail with. Anything else is a mistake in the agent itself, and ends it.
TOOL_ERRORS = (ToolFailed, psycopg.Error, OSError)


@dataclass(frozen=True, slots=True)
class Turn:
    """A question of the user's, and the plan that the model follows to answer it."""

    question: str
    plan: Plan


class Agent:
    """Answers a user's questions, one after another, in one conversation."""

    def __init__(self, run: Run, tools: Sequence[Tool]) -> None:
        self._run = run
        self._tools = {tool.__name__: tool for tool in tools}
        self._conversation: list[Message] = []
        self._steps = count(1)

    def work(self, turns: Sequence[Turn]) -> None:
        """Answer every question. An agent that breaks down leaves `agent.crashed`, and the error goes on."""
        self._run.record("agent.started", {"agent_id": AGENT_ID, "model": model.NAME})
        self._say({"role": "system", "content": SYSTEM_PROMPT})
        try:
            for turn in turns:
                self._answer(turn)
        except RecorderError:
            raise
        except Exception as error:
            self._run.record("agent.crashed", {"agent_id": AGENT_ID, "error": _error(error)})
            raise
        self._run.record("agent.stopped", {"agent_id": AGENT_ID})

    def _answer(self, turn: Turn) -> None:
        question = {"role": "user", "content": turn.question}
        self._conversation.append(question)
        cause = self._run.begin_task(question)
        for step in self._steps:
            started = self._run.event("step.started", {"step": step}, cause)
            reply, response = self._think(step, turn.plan, started, cause)
            if not reply.calls:
                break
            cause = self._act(step, reply.calls, response)
            self._run.record("step.completed", {"step": step}, started["id"])
        if reply.solved:
            self._run.record("step.completed", {"step": step}, started["id"])
            self._run.end_task("completed", {"answer": reply.content})
        else:
            self._run.record("step.failed", {"step": step, "error": reply.content}, started["id"])
            self._run.end_task("failed", {"error": reply.content})

    def _think(self, step: int, plan: Plan, started: Event, cause: str) -> tuple[Reply, str]:
        """Begin the step and ask the model; returns its reply and the id of the `llm.response`."""
        llm = {"call_id": f"llm_{step}", "model": model.NAME}
        tools = [{"name": name, "description": tool.__doc__} for name, tool in self._tools.items()]
        called = self._run.event("llm.call", {**llm, "messages": self._conversation, "tools": tools}, cause)
        self._run.append(started, called)
        begun = time.perf_counter()
        reply = model.answer(plan, self._conversation)
        message: Message = {"role": "assistant", "content": reply.content}
        if reply.calls:
            message["tool_calls"] = [_requested(step, number, call) for number, call in enumerate(reply.calls, start=1)]
        answered = {name: value for name, value in message.items() if name != "role"}
        reason = "tool_calls" if reply.calls else "stop"
        response = self._run.record(
            "llm.response", {**llm, **answered, "finish_reason": reason, "duration_ms": _since(begun)}, called["id"]
        )
        self._say(message)
        return reply, response

    def _act(self, step: int, calls: Sequence[Call], response: str) -> str:
        """Use the tools, all at once; returns the id of the newest `tool.result`."""
        named = [
            {"tool_call_id": _call_id(step, number), "name": call.tool} for number, call in enumerate(calls, start=1)
        ]
        made = [
            self._run.event("tool.call", {**name, "arguments": call.arguments}, response)
            for name, call in zip(named, calls, strict=True)
        ]
        self._run.append(*made)
        contents: dict[str, str] = {}
        with ThreadPoolExecutor(len(calls)) as threads:
            running = {threads.submit(self._use, call): place for place, call in enumerate(calls)}
            for done in as_completed(running):
                place, (result, ended_at) = running[done], done.result()
                contents[named[place]["tool_call_id"]] = result["content"]
                newest = self._run.event("tool.result", {**named[place], **result}, made[place]["id"], ended_at)
                self._run.append(newest)
        self._say(*({"role": "tool", **name, "content": contents[name["tool_call_id"]]} for name in named))
        return str(newest["id"])

    def _use(self, call: Call) -> tuple[Payload, str]:
        """What came of one call, as a payload, and when it was over."""
        begun = time.perf_counter()
        try:
            result: Payload = {"content": _text(self._tools[call.tool](**call.arguments))}
        except TOOL_ERRORS as error:
            details = error.details if isinstance(error, ToolFailed) else {}
            result = {"content": _text({"error": str(error).strip(), **details}), "error": _error(error)}
        return {**result, "duration_ms": _since(begun)}, now()

    def _say(self, *messages: Message) -> None:
        self._conversation.extend(messages)
        self._run.say(*messages)


def _requested(step: int, number: int, call: Call) -> Payload:
    """A call as the chat format writes it inside of a message."""
    return {
        "id": _call_id(step, number),
        "type": "function",
        "function": {"name": call.tool, "arguments": _text(call.arguments)},
    }


def _call_id(step: int, number: int) -> str:
    return f"call_{step}_{number}"


def _text(value: Any) -> str:
    """A tool's result as the model reads it: a text as it is, anything else as JSON."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)


def _error(error: Exception) -> Payload:
    return {"type": type(error).__name__, "message": str(error).strip()}


def _since(begun: float) -> float:
    """Milliseconds since this reading of the clock."""
    return round((time.perf_counter() - begun) * 1000, 3)
