"""Agent runs of the sample data as steps, and what their origins know of them. Formats that the product does not import are
read here."""

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from memory.events import facts
from memory.flight.trace import Step, step_of

BEGAN = datetime(2025, 1, 1, tzinfo=UTC)
Event = tuple[str, dict[str, Any]]


@dataclass(frozen=True, slots=True)
class SampleRun:
    """One run. `failed` is None where the origin does not tell. `decisive` is the version of the step that decided the
    run, and `responsible` the agent that made it, where somebody has annotated them."""

    name: str
    steps: list[Step]
    failed: bool | None = None
    decisive: int = 0
    responsible: str = ""


@dataclass(frozen=True, slots=True)
class _Told:
    """An event as `step_of` reads it."""

    version: int
    event_id: str
    type: str
    payload: facts.Payload
    occurred_at: datetime
    causation_id: str = ""


def steps(events: Iterable[Event]) -> list[Step]:
    """Events as steps, a second apart, beginning with version 1."""
    return [
        step_of(_Told(version, f"event_{version}", kind, payload, BEGAN + timedelta(seconds=version)))
        for version, (kind, payload) in enumerate(events, start=1)
    ]


def who_and_when(data: Path, part: str) -> Iterator[SampleRun]:
    """Failed runs of several agents; step N of the origin is version N + 1."""
    for path in sorted((data / "who-and-when" / part).glob("*.json")):
        told = json.loads(path.read_text())
        made = steps(("message.added", dict(message)) for message in told["history"])
        yield SampleRun(path.name, made, True, int(told["mistake_step"]) + 1, told["mistake_agent"])


def tau_bench(data: Path) -> Iterator[SampleRun]:
    """Solved and failed runs of one agent with tools."""
    from memory.imports import tau_bench as format_module

    for name, run in _imported(format_module, [data / "tau-bench-airline" / "gpt-4o-airline.json.gz"]):
        yield SampleRun(name.partition(":")[0], run, run[-1].type == "task.failed")


def swe_agent(data: Path) -> Iterator[SampleRun]:
    """Runs of a coding agent."""
    from memory.imports import swe_agent as format_module

    for name, run in _imported(format_module, sorted((data / "swe-agent").rglob("*.traj"))):
        yield SampleRun(name[:40], run)


def openhands(data: Path) -> Iterator[SampleRun]:
    """Runs of another coding agent."""
    from memory.imports import openhands as format_module

    folder = data / "openhands"
    for name, run in _imported(format_module, [*sorted(folder.rglob("*.json")), *sorted(folder.glob("*.jsonl"))]):
        yield SampleRun(name[:40], run)


def _imported(format_module: Any, paths: list[Path]) -> Iterator[tuple[str, list[Step]]]:
    from memory.imports.run import Run

    for path in paths:
        for run in format_module.read(path):
            if isinstance(run, Run):
                yield run.title, steps((str(event.type), event.payload) for event in run.events)


def bioagent(data: Path) -> Iterator[SampleRun]:
    """Failed runs of agents that write code: what `code_execution_…` says is what the code brought."""
    for path in sorted((data / "bioagent-failures").glob("*.json")):
        events: list[Event] = []
        for message in json.loads(path.read_text()):
            who, said = message["name"] or "", facts.text_of(message["content"])
            if "execution" in who or message["role"] == "tool":
                error = {"error": said} if "error" in who or "Traceback" in said else {}
                name = message["name"] if message["role"] == "tool" else "execute_code"
                events.append(("tool.result", {"name": name, "content": said, **error}))
            else:
                events.append(("message.added", {"role": message["role"], "name": who, "content": said}))
                if "code" in who:
                    events.append(("tool.call", {"name": "execute_code", "arguments": {"code": said}}))
        yield SampleRun(path.stem.partition(".")[0], steps(events), True)


def toolbench(data: Path) -> Iterator[SampleRun]:
    """Search trees, in the order in which they were searched."""
    for path in sorted((data / "toolbench").rglob("*.json")):
        told = json.loads(path.read_text())
        tools = [{"name": function["name"]} for function in told["answer_generation"]["function"]]
        events: list[Event] = [
            ("message.added", {"role": "user", "content": told["answer_generation"]["query"]}),
            ("llm.call", {"tools": tools}),
        ]
        _walk(told["tree"]["tree"], "", events)
        yield SampleRun(f"{path.parent.name} {path.stem.partition('_')[0]}", steps(events), not told["win"])


def _walk(node: dict[str, Any], tool: str, events: list[Event]) -> None:
    if node["node_type"] == "Thought":
        events.append(("message.added", {"role": "assistant", "content": node["description"]}))
    elif node["node_type"] == "Action Input" and tool:
        content = node["observation"] or ""
        failed = {"error": content[:200]} if node["observation_code"] not in {0, 3, 4} else {}
        events.append(("tool.call", {"name": tool, "arguments": node["description"]}))
        events.append(("tool.result", {"name": tool, "content": content, **failed}))
    for child in node["children"]:
        _walk(child, node["description"] if node["node_type"] == "Action" else tool, events)


def mast(data: Path) -> Iterator[SampleRun]:
    """Raw logs of three systems of several agents."""
    for told in json.loads((data / "mast-failures" / "mast_human_labelled.json").read_text()):
        failures = told["human_label_summary"]["total_failures"]
        name = f"{told['index']} {told['benchmark_name']}/{told['mas_name']}"
        yield SampleRun(name, steps(_mast_events(told["trace_text"])), failures > 0)


def _mast_events(text: str) -> Iterator[Event]:
    try:
        told = json.loads(text)
    except ValueError:
        yield from _open_manus(text)
        return
    if "trajectory" in told:
        for message in told["trajectory"]:
            content = "\n".join(message["content"]) if isinstance(message["content"], list) else message["content"]
            yield "message.added", {"role": message["role"], "name": message["name"], "content": content}
        return
    yield "message.added", {"role": "user", "content": told["prompt"]}
    for who, said in re.findall(r"- (\w+)\(\w+\): (.*?)(?=^\d{4}-|\Z)", told["content"], re.DOTALL | re.MULTILINE):
        yield "message.added", {"role": "assistant", "name": who, "content": said}


def _open_manus(text: str) -> Iterator[Event]:
    """Lines of a log: thoughts, the tool that is taken with its arguments, and what it brought."""
    tool = ""
    for line in re.split(r"^(?=\d{4}-\d\d-\d\d \d\d:)", text, flags=re.MULTILINE):
        message = line.partition(" - ")[2].strip()
        if "thoughts:" in message[:40]:
            said = message.partition("thoughts:")[2].strip()
            if said:
                yield "message.added", {"role": "assistant", "content": said}
        elif "Tools being prepared" in message:
            tool = (re.findall(r"'(\w+)'", message) or [""])[0]
        elif "Tool arguments:" in message:
            yield "tool.call", {"name": tool, "arguments": message.partition("arguments:")[2].strip()}
        elif "completed its mission" in message:
            yield "tool.result", {"name": tool, "content": message.partition("executed:")[2].strip()}
