"""Finding causes: how fast, whether an event costs more in a long run, and what is found in the sample sets."""

import json
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from time import perf_counter
from typing import Any

from bench import datasets
from bench.report import publish
from bench.samples import events
from bench.server import Client, Installation

LENGTHS = (1_000, 100_000)
BATCH = 1000
WINDOW = 10
ONE_MORE = 50
SETS = ("tau-bench-airline", "openhands", "swe-agent", "claude-code-transcripts", "toolbench")
Event = tuple[str, dict[str, Any], int | None]


def run(place: Installation) -> None:
    """Time the analysis in the database, and look for causes in what is known of the sample sets."""
    if data := datasets.folder():
        _samples(data)
    _speed(place)


def _samples(data: Path) -> None:
    shares, prompts = [], []
    for name in SETS:
        told = list(_toolbench(data) if name == "toolbench" else _imported(data / name))
        shares.append((name, len(told), *_results(told)))
        prompts += [(name, form, *_prompts(told, form)) for form in FORMS]
    publish(
        "causes_results",
        "Results linked to their call; without any ids, the true cause among the links",
        ("set", "runs", "results", "linked", "share", "known causes", "found without ids", "share without ids"),
        shares,
    )
    publish(
        "causes_prompts",
        "Prompts made of the runs: messages in them that are recognised, and the newest result in the prompt after it",
        ("set", "form", "prompts", "messages found", "wrong for one right", "newest results", "linked", "share"),
        prompts,
    )


def _speed(place: Installation) -> None:
    from memory.flight import analysis
    from memory.models import Stream
    from memory.tenancy import tenant_scope

    rows, base = [], 0.0
    for length in LENGTHS:
        client = Client(place)
        name = f"causes-{length}"
        for first in range(0, length, BATCH):
            client.append(name, _with_prompts(min(BATCH, length), first))
        began = perf_counter()
        done = 0
        while done < length:
            with tenant_scope(place.tenant_id):
                done = analysis.catch_up(Stream.objects.named(name), analysis.BATCH).analysed_to
        spent = perf_counter() - began
        client, spans = Client(place), []  # the server has closed the connection meanwhile
        for event in _with_prompts(ONE_MORE, length):
            client.append(name, [event])
            began = perf_counter()
            with tenant_scope(place.tenant_id):
                analysis.catch_up(Stream.objects.named(name))
            spans.append(perf_counter() - began)
        one_more = sorted(spans)[len(spans) // 2] * 1000
        base = base or one_more
        rows.append((f"{length:,}", length / spent, one_more, one_more / base))
    publish(
        "causes",
        "Causes and hints of a run, through the database",
        ("events", "events/s", "one more event, median ms", "against the short run"),
        rows,
    )


def _with_prompts(count: int, seed: int) -> list[dict[str, Any]]:
    """Made-up events with a prompt of the newest messages and results before each answer."""
    made: list[dict[str, Any]] = []
    shown: list[dict[str, Any]] = []
    for event in events(count, seed):
        payload = event["payload"]
        if "tool_call_id" in payload:
            payload["tool_call_id"] += f"-{seed}"
        if event["type"] == "llm.response":
            made.append({"type": "llm.call", "payload": {"model": "m", "messages": shown[-WINDOW:]}})
        made.append(event)
        if event["type"] in ("message.added", "tool.result"):
            role = payload.get("role", "tool")
            shown.append({"role": role, "content": payload["content"], "tool_call_id": payload.get("tool_call_id", "")})
    return made[:count]


@dataclass
class _Recorded:
    """An event as a step is read from it."""

    version: int
    event_id: str
    type: str
    payload: dict[str, Any]
    occurred_at: datetime
    causation_id: str


def _imported(folder: Path) -> Iterator[list[Event]]:
    from memory.imports import formats
    from memory.imports.run import Run

    for path in sorted(path for path in folder.rglob("*") if path.is_file()):
        known = formats.detect(path)
        for found in known.read(path) if known else ():
            if isinstance(found, Run):
                yield [(str(event.type), dict(event.payload), event.causes) for event in found.events]


def _toolbench(data: Path) -> Iterator[list[Event]]:
    """The last path of each search tree that has its paths as chats."""
    with tempfile.TemporaryDirectory() as folder:
        for number, path in enumerate(sorted((data / "toolbench").rglob("*.json"))):
            paths = json.loads(path.read_text())["answer_generation"].get("train_messages")
            if paths:
                (Path(folder) / f"{number}.json").write_text(json.dumps({"messages": paths[-1]}))
        yield from _imported(Path(folder))


def _linked(told: list[Event], *, with_ids: bool) -> Iterator[tuple[Any, list[Any]]]:
    """Each step with the links that lead to it."""
    from memory.flight.links import Linker
    from memory.flight.pieces import PiecesInMemory
    from memory.flight.trace import step_of

    linker, seen = Linker(None, b"bench"), PiecesInMemory()
    for version, (event_type, payload, cause) in enumerate(told, start=1):
        named = "" if cause is None or not with_ids else f"e{cause + 1}"
        kept = payload if with_ids else _without_ids(payload)
        step = step_of(_Recorded(version, f"e{version}", event_type, kept, datetime.now(UTC), named))
        yield step, linker.add(step, seen)


def _without_ids(payload: dict[str, Any]) -> dict[str, Any]:
    kept = {name: value for name, value in payload.items() if name not in ("tool_call_id", "call_id")}
    calls = kept.get("tool_calls")
    if isinstance(calls, list):
        kept["tool_calls"] = [{name: value for name, value in call.items() if name != "id"} for call in calls]
    return kept


def _results(runs: list[list[Event]]) -> tuple[Any, ...]:
    results = linked = known = found = 0
    for told in runs:
        for step, links in _linked(told, with_ids=True):
            results += step.is_result
            linked += step.is_result and bool(links)
        for (_, links), (_, _, cause) in zip(_linked(told, with_ids=False), told, strict=True):
            known += cause is not None
            found += cause is not None and cause + 1 in {link.cause for link in links}
    return results, linked, linked / max(results, 1), known, found, found / max(known, 1)


def _indented(text: str) -> str:
    try:
        return json.dumps(json.loads(text), indent=2, sort_keys=True)
    except ValueError:
        return "\n".join(f"> {line}" for line in text.splitlines())


FORMS: dict[str, Callable[[str], str]] = {
    "whole": lambda text: text,
    "its first half": lambda text: text if len(text) < 200 else f"{text[: len(text) // 2]} … (cut)",
    "reformatted": _indented,
    "one text": lambda text: text,
}


def _prompts(runs: list[list[Event]], form: str) -> tuple[Any, ...]:
    """Put a prompt with all that was said before each answer, without ids, and see what is recognised in it."""
    prompts = texts = found = wrong = newest = linked = 0
    for told in runs:
        made, true = _prompted(told, form)
        within: set[int] = set()
        before: set[int] = set()
        for step, links in _linked(made, with_ids=False):
            if not step.is_prompt:
                continue
            prompts += 1
            within |= {link.cause for link in links if link.kind == "entered"}
            within -= {link.cause for link in links if link.kind == "left"}
            said = true[step.version]
            texts, found, wrong = texts + len(said), found + len(said & within), wrong + len(within - said)
            results = [version for version in said - before if made[version - 1][1].get("role") == "tool"]
            if results:
                newest += 1
                linked += max(results) in {link.cause for link in links}
            before = said
    return prompts, found / max(texts, 1), wrong / max(found, 1), newest, linked, linked / max(newest, 1)


def _prompted(told: list[Event], form: str) -> tuple[list[Event], dict[int, set[int]]]:
    """The run with prompts, and by the version of each prompt those of the messages that it shows."""
    made: list[Event] = []
    shown: list[tuple[int, str, str]] = []
    true: dict[int, set[int]] = {}
    for event_type, payload, _ in told:
        is_message = event_type == "message.added"
        if is_message and payload.get("role") == "assistant":
            messages = [{"role": role, "content": FORMS[form](text)} for _, role, text in shown]
            whole = "\n".join(f"{role}: {text}" for _, role, text in shown)
            made.append(("llm.call", {"prompt": whole} if form == "one text" else {"messages": messages}, None))
            true[len(made)] = {version for version, _, _ in shown}
        made.append((event_type, payload, None))
        if is_message and isinstance(payload.get("content"), str) and payload["content"].strip():
            shown.append((len(made), payload["role"], payload["content"]))
    return made, true
