"""Sample sets as conversations: the turns that extraction reads, made without a database.

Sets that the product imports are read by its own formats and `turns.of_events`, the others as chat messages.
"""

import gzip
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from memory.distillation.data import Turn
from memory.events import facts
from memory.vocabulary import EventType

# Where a set gives no time.
SOME_DAY = datetime(2026, 1, 5, 12, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Conversation:
    """Turns, whose they are, whether the run failed; `known` is what the set says of it, `place` the set's own id of
    a turn by ours."""

    name: str
    turns: list[Turn]
    failed: bool = False
    known: Any = None
    places: dict[str, str] = field(default_factory=dict)


def imported(path: Path, format_name: str) -> Iterator[Conversation]:
    """The runs in a file, read by the product's own import."""
    from memory.distillation import turns
    from memory.imports import formats
    from memory.imports.run import Run

    reader = formats.by_name(format_name)
    if reader is None:
        raise LookupError(format_name)
    for run in reader.read(path):
        if isinstance(run, Run):
            events = [
                SimpleNamespace(
                    type=event.type,
                    payload=event.payload,
                    event_id=f"e{version}",
                    version=version,
                    occurred_at=event.occurred_at or SOME_DAY,
                )
                for version, event in enumerate(run.events, start=1)
            ]
            yield Conversation(
                run.title,
                turns.of_events(events),
                failed=any(event.type == EventType.TASK_FAILED for event in events),
                known=run.metadata,
                places={
                    f"e{version}": str(event.metadata["dia_id"])
                    for version, event in enumerate(run.events, start=1)
                    if "dia_id" in event.metadata
                },
            )


def said(name: str, messages: list[dict[str, Any]], **given: Any) -> Conversation:
    """A conversation of chat messages: role, content, perhaps a name and a time."""
    turns = [
        Turn(
            f"m{number}",
            number,
            message["role"],
            facts.text_of(message["content"]),
            message.get("at", SOME_DAY),
            message.get("name", ""),
        )
        for number, message in enumerate(messages, start=1)
    ]
    return Conversation(name, turns, **given)


def swe_agent(data: Path) -> list[Conversation]:
    """Eight runs, six of them of one issue: those are `known` to be."""
    return [
        Conversation(path.parent.name, run.turns, failed=run.failed, known="marshmallow" in path.name)
        for path in sorted((data / "swe-agent").rglob("*.traj"))
        for run in imported(path, "swe_agent")
    ]


def openhands(data: Path) -> list[Conversation]:
    """Four runs of coding agents."""
    paths = sorted((data / "openhands").rglob("*.json*"))
    return [run for path in paths for run in imported(path, "openhands")]


def claude_code(data: Path) -> list[Conversation]:
    """Four runs of a coding agent."""
    paths = sorted((data / "claude-code-transcripts").rglob("*.jsonl"))
    return [run for path in paths for run in imported(path, "claude_code")]


def bioagent(data: Path) -> list[Conversation]:
    """Three failed runs with stack traces."""
    return [
        said(path.name, json.loads(path.read_text())) for path in sorted((data / "bioagent-failures").glob("*.json"))
    ]


def tau_bench(data: Path) -> list[Conversation]:
    """Runs of customer service; `known` holds `actions`, the right calls."""
    return list(imported(data / "tau-bench-airline" / "gpt-4o-airline.json.gz", "tau_bench"))


def alfworld(data: Path) -> list[Conversation]:
    """The lessons that an agent wrote after each failed trial, an environment a conversation: it notes them, each as
    a message with its name."""
    trials = (data / "reflexion" / "alfworld").glob("env_results_trial_*.json")
    last = max(trials, key=lambda path: int(re.findall(r"\d+", path.name)[-1]))
    return [
        said(
            place["name"], [{"role": "user", "name": "agent", "content": lesson.strip()} for lesson in place["memory"]]
        )
        for place in json.loads(last.read_text())
        if place["memory"]
    ]


def locomo(data: Path) -> list[Conversation]:
    """Sessions of two people; `known` is the id of the whole conversation."""
    return [
        Conversation(run.name, run.turns, known=run.known["conversation"], places=run.places)
        for run in imported(data / "locomo" / "locomo10.json", "locomo")
    ]


def kdconv(data: Path) -> list[Conversation]:
    """Chinese conversations of two people; `known` are the facts in them: subject, relation, value."""
    return [
        said(
            dialogue["name"],
            [
                {"role": "user", "name": "甲乙"[number % 2], "content": message["message"]}
                for number, message in enumerate(dialogue["messages"])
            ],
            known=[
                (fact["name"], fact["attrname"], fact["attrvalue"], number)
                for number, message in enumerate(dialogue["messages"], start=1)
                for fact in message.get("attrs", [])
            ],
        )
        for dialogue in json.loads((data / "kdconv-travel" / "test.json").read_text())
    ]


def crosswoz(data: Path) -> list[Conversation]:
    """Chinese requests and their fulfilment; `known` is the goal."""
    held = json.loads(gzip.decompress((data / "crosswoz" / "val.json.gz").read_bytes()))
    roles = {"usr": "user", "sys": "assistant"}
    return [
        said(
            key,
            [{"role": roles[message["role"]], "content": message["content"]} for message in dialogue["messages"]],
            known=dialogue["final_goal"],
        )
        for key, dialogue in held.items()
    ]


def evermemos(data: Path) -> list[Conversation]:
    """A group chat of five people, in Chinese and in English."""
    found = []
    for language in ("zh", "en"):
        held = json.loads((data / "evermemos-chat" / f"team_chat_{language}.json").read_text())
        messages = [
            {
                "role": "user",
                "name": each["sender_name"],
                "content": each["content"],
                "at": datetime.fromisoformat(each["create_time"]),
            }
            for each in held["conversation_list"]
        ]
        found.append(said(f"team chat {language}", messages))
    return found


def memorybank(data: Path) -> list[Conversation]:
    """Ten days of a user and an assistant, in two languages."""
    found = []
    for language in ("cn", "en"):
        held = json.loads((data / "memorybank" / language / f"memory_bank_{language}.json").read_text())
        for user, told in held.items():
            for day, exchanges in told["history"].items():
                at = datetime.fromisoformat(f"{day}T12:00:00+00:00")
                messages = [
                    {"role": role, "content": exchange[key], "at": at}
                    for exchange in exchanges
                    for role, key in (("user", "query"), ("assistant", "response"))
                ]
                found.append(said(f"{user.strip()}, {day}", messages, known=language))
    return found


def personamem(data: Path) -> list[Conversation]:
    """Long histories of users who tell an assistant of themselves; `known` is the user."""
    held = json.loads(gzip.decompress((data / "personamem-32k" / "documents.json.gz").read_bytes()))
    spoken = re.compile(
        r"\[(SYSTEM|USER|ASSISTANT)\] (?:User: |Assistant: )?(.*?)(?=\n\s*\[(?:SYSTEM|USER|ASSISTANT)\] |\Z)", re.DOTALL
    )
    return [
        said(
            document["id"],
            [{"role": role.lower(), "content": text.strip()} for role, text in spoken.findall(document["content"])],
            known=document["user_id"],
        )
        for document in held
    ]
