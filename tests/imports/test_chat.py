"""Plain chat messages."""

from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from memory.imports import chat
from tests.imports.examples import chat_messages
from tests.imports.reading import count, of_type, read, read_one, roles, types, units, write, write_lines

ROLES = ["system", "user", "assistant", "tool", "assistant"]


def conversation(**fields: Any) -> dict[str, Any]:
    return {"messages": chat_messages(), **fields}


def test_an_array_of_messages_is_a_conversation(tmp_path: Path) -> None:
    run = read_one(chat, write(tmp_path / "chat.json", chat_messages()))
    assert roles(run) == ROLES
    assert run.title == "What is the weather in Lima?"
    assert (run.agent_id, run.user_id) == ("chat", "")
    assert run.counts == {"messages": 5}


def test_an_object_says_more_about_its_conversation(tmp_path: Path) -> None:
    tools = [{"type": "function", "function": {"name": "lookup"}}]
    known = {"id": "c1", "title": "Lima", "agent_id": "guide", "user_id": "ana", "metadata": {"mood": "sunny"}}
    run = read_one(chat, write(tmp_path / "chat.json", conversation(**known, tools=tools)))
    assert (run.title, run.agent_id, run.user_id) == ("Lima", "guide", "ana")
    assert run.metadata == {"mood": "sunny", "id": "c1", "tools": tools}
    assert run.key.startswith("chat/c1/")


@pytest.mark.parametrize("lines", [False, True])
def test_several_conversations_stand_in_an_array_or_on_a_line_each(tmp_path: Path, lines: bool) -> None:
    values = [conversation(id=number) for number in range(3)]
    path = tmp_path / "chat.json"
    runs, skipped = read(chat, write_lines(path, values) if lines else write(path, values))
    assert skipped == []
    assert [roles(run) for run in runs] == [ROLES] * 3
    assert len({run.key for run in runs}) == 3


def test_a_line_may_be_an_array_of_messages(tmp_path: Path) -> None:
    runs, _ = read(chat, write_lines(tmp_path / "chat.jsonl", [chat_messages(), chat_messages()[:2]]))
    assert [roles(run) for run in runs] == [ROLES, ROLES[:2]]


def test_a_message_a_line_makes_one_conversation(tmp_path: Path) -> None:
    run = read_one(chat, write_lines(tmp_path / "chat.jsonl", chat_messages()))
    assert roles(run) == ROLES
    assert read_one(chat, write(tmp_path / "chat.json", chat_messages())).key == run.key


def test_the_model_and_usage_of_an_answer_are_kept(tmp_path: Path) -> None:
    messages = chat_messages()
    messages[4] |= {"model": "m-1", "usage": {"prompt_tokens": 40, "completion_tokens": 4}}
    run = read_one(chat, write(tmp_path / "chat.json", messages))
    assert run.events[-1].payload["model"] == run.agent_id == "m-1"
    assert run.events[-1].payload["usage"] == {"input_tokens": 40, "output_tokens": 4}
    assert count([run])["input_tokens"] == 40


def test_function_calls_of_old_are_tool_calls(tmp_path: Path) -> None:
    messages = [
        {"role": "assistant", "content": None, "function_call": {"name": "lookup", "arguments": '{"a": 1}'}},
        {"role": "function", "name": "lookup", "content": "sunny"},
    ]
    run = read_one(chat, write(tmp_path / "chat.json", messages))
    assert types(run) == ["message.added", "tool.call", "tool.result", "message.added"]
    assert [event.causes for event in run.events] == [None, 0, 1, 2]
    assert run.events[1].payload["arguments"] == {"a": 1}


@pytest.mark.parametrize(
    ("fields", "error"),
    [
        ({"error": "timeout"}, "timeout"),
        ({"error": {"type": "t", "message": "m"}}, {"type": "t", "message": "m"}),
        ({"is_error": True}, "sunny"),
        ({"error": True}, "sunny"),
        ({"error": None}, None),
        ({"is_error": False}, None),
        ({"content": "Error: no"}, None),
    ],
)
def test_a_result_is_an_error_where_the_message_says_so(tmp_path: Path, fields: dict[str, Any], error: Any) -> None:
    messages = chat_messages()
    messages[3] |= fields
    run = read_one(chat, write(tmp_path / "chat.json", messages))
    assert of_type(run, "tool.result")[0].payload.get("error") == error


def test_times_are_read_where_there_are_any(tmp_path: Path) -> None:
    messages = [{"role": "user", "content": "a", "created_at": "2025-01-01T10:00:00"}, {"role": "user", "content": "b"}]
    run = read_one(chat, write(tmp_path / "chat.json", messages))
    assert {event.occurred_at for event in run.events} == {datetime(2025, 1, 1, 10, tzinfo=UTC)}
    assert "assumed UTC" in run.metadata["time_zone"]


def test_roles_and_parts_are_kept_as_they_are(tmp_path: Path) -> None:
    parts = [{"type": "text", "text": "What is it?"}, {"type": "image_url", "image_url": {"url": "u"}}]
    messages = [{"role": "developer", "content": "Be kind."}, {"role": "user", "content": parts}]
    run = read_one(chat, write(tmp_path / "chat.json", messages))
    assert roles(run) == ["developer", "user"]
    assert run.events[1].payload["content"] == parts
    assert run.title == "What is it?"


def test_a_broken_message_or_conversation_costs_only_itself(tmp_path: Path) -> None:
    values = [conversation(), {"messages": 5}, '{"messages": [', {"messages": []}, {"messages": [5, {"role": "user"}]}]
    path = write_lines(tmp_path / "chat.jsonl", values)
    runs, skipped = read(chat, path)
    assert [run.counts for run in runs] == [{"messages": 5}, {"messages": 1}]
    assert [item.where.removeprefix(f"{path}: ") for item in skipped] == [
        "line 2",
        "line 3",
        "line 4",
        "line 5: message 1",
    ]


def test_the_failed_runs_of_bioinformatics_agents_are_chats(sample_data: Callable[[str], Path]) -> None:
    paths = sorted(sample_data("bioagent-failures").glob("*.json"))
    runs = [read_one(chat, path) for path in paths]
    assert len(runs) == len({run.key for run in runs}) == 3
    assert units(runs) == {"messages": 53}
