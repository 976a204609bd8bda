"""Claude Code transcripts."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from memory.imports import claude_code
from tests.imports.examples import claude_answer, claude_line, claude_lines, claude_result
from tests.imports.reading import count, of_type, read, read_one, roles, types, units, write_lines


def read_lines(tmp_path: Path, lines: list[Any]) -> Any:
    return read_one(claude_code, write_lines(tmp_path / "0f1e.jsonl", lines))


def test_the_lines_of_an_answer_are_one_message_and_parallel_calls_stand_side_by_side(tmp_path: Path) -> None:
    run = read_lines(tmp_path, claude_lines())
    assert types(run) == [
        "queue.dequeue",
        *["message.added"] * 3,
        "tool.call",
        "tool.call",
        "tool.result",
        "message.added",
        "tool.result",
        "message.added",
        "message.added",
    ]
    assert [event.causes for event in run.events] == [None, None, None, 2, 3, 3, 4, 6, 5, 8, 9]
    assert roles(run) == ["user", "user", "assistant", "tool", "tool", "assistant"]
    assert run.events[3].payload["content"] == "I look first."
    assert [call["id"] for call in run.events[3].payload["tool_calls"]] == ["toolu_a", "toolu_b"]
    assert run.counts == {"lines": 9, "tool_calls": 2}


def test_usage_that_every_line_of_an_answer_repeats_counts_once(tmp_path: Path) -> None:
    run = read_lines(tmp_path, claude_lines())
    assert count([run])["input_tokens"] == 2 * 123
    assert count([run])["output_tokens"] == 2 * 9
    assert run.events[3].payload["usage"]["cached_input_tokens"] == 100
    assert run.events[3].payload["model"] == "claude-x"


def test_the_last_line_of_an_answer_has_its_final_usage(tmp_path: Path) -> None:
    lines = claude_lines()
    lines[5]["message"]["usage"]["output_tokens"] = 50
    assert count([read_lines(tmp_path, lines)])["output_tokens"] == 50 + 9


def test_results_between_the_lines_of_an_answer_keep_their_place(tmp_path: Path) -> None:
    lines = claude_lines()
    lines[5], lines[6] = lines[6], lines[5]
    run = read_lines(tmp_path, lines)
    assert types(run)[4:9] == ["tool.call", "tool.result", "message.added", "tool.call", "tool.result"]
    assert len(run.events[3].payload["tool_calls"]) == 2


def test_a_result_marked_as_an_error_is_one(tmp_path: Path) -> None:
    run = read_lines(tmp_path, claude_lines())
    first, second = of_type(run, "tool.result")
    assert "error" not in first.payload
    assert first.payload["duration_ms"] == 40
    assert second.payload["error"] == "no such file"


def test_what_the_program_puts_into_the_users_mouth_is_marked_and_gives_no_title(tmp_path: Path) -> None:
    run = read_lines(tmp_path, claude_lines())
    assert run.events[1].metadata == {"is_meta": True}
    assert run.events[2].metadata == {}
    assert run.title == "Add a function."


def test_a_side_chain_is_a_run_of_its_own(tmp_path: Path) -> None:
    side = [
        claude_line(20, "user", "Search for it.", isSidechain=True),
        {**claude_answer(21, "msg_s", {"type": "text", "text": "Found."}, 20), "isSidechain": True},
        claude_line(30, "user", "Another.", isSidechain=True),
        claude_line(40, "user", "An agent's own file.", isSidechain=True, agentId="a7"),
    ]
    lines = claude_lines()
    runs, skipped = read(claude_code, write_lines(tmp_path / "0f1e.jsonl", [*lines[:4], *side, *lines[4:]]))
    assert skipped == []
    assert [run.key for run in runs] == [
        "claude-code/0f1e",
        "claude-code/0f1e/uuid-20",
        "claude-code/0f1e/uuid-30",
        "claude-code/0f1e/a7",
    ]
    assert [run.title for run in runs[1:]] == ["Search for it.", "Another.", "An agent's own file."]
    assert units(runs)["lines"] == 13
    assert runs[0].counts == {"lines": 9, "tool_calls": 2}
    assert runs[1].metadata["side_chain"] == "uuid-20"


def test_a_line_that_stands_in_the_file_again_is_left_out(tmp_path: Path) -> None:
    lines = claude_lines()
    runs, skipped = read(claude_code, write_lines(tmp_path / "0f1e.jsonl", [*lines, lines[2]]))
    assert roles(runs[0]).count("user") == 2
    assert [item.reason for item in skipped] == ["repeats an earlier line (same uuid)"]


def test_other_kinds_of_lines_are_told_or_counted(tmp_path: Path) -> None:
    system = claude_line(50, "system", None, subtype="compact_boundary", level="info")
    system["content"] = "Compacted"
    progress = [claude_line(number, "progress", None) for number in (51, 52)]
    runs, skipped = read(claude_code, write_lines(tmp_path / "0f1e.jsonl", [*claude_lines(), system, *progress]))
    assert of_type(runs[0], "system.compact_boundary")[0].payload == {"content": "Compacted", "level": "info"}
    assert [item.reason for item in skipped] == ["2 lines of type 'progress' are not part of the conversation"]
    assert runs[0].counts["lines"] == 12


def test_an_answer_without_ids_is_told_with_invented_ones(tmp_path: Path) -> None:
    answer = claude_answer(3, "", {"type": "tool_use", "name": "Read", "input": {}}, 2)
    result = claude_result(4, "", "text", 3)
    run = read_lines(tmp_path, [claude_line(2, "user", "Go."), answer, result])
    assert [event.causes for event in run.events] == [None, 0, 1, 2, 3]
    assert run.events[2].payload["tool_call_id"] == run.events[1].payload["tool_calls"][0]["id"]


def test_a_failed_request_is_an_error_of_no_model(tmp_path: Path) -> None:
    failed = claude_answer(9, "msg_e", {"type": "text", "text": "API Error: 529"}, 8)
    failed["isApiErrorMessage"] = True
    failed["message"]["model"] = claude_code.SYNTHETIC_MODEL
    run = read_lines(tmp_path, [claude_line(2, "user", "Go."), failed])
    assert run.events[-1].payload["error"] == "API Error: 529"
    assert run.agent_id == "claude-code"


def test_several_parts_of_a_message_stay_parts(tmp_path: Path) -> None:
    thinking = {"type": "thinking", "thinking": "Hm.", "signature": "s"}
    lines = [claude_answer(3, "m", thinking, 2), claude_answer(4, "m", {"type": "text", "text": "Yes."}, 3)]
    run = read_lines(tmp_path, [claude_line(2, "user", "Go."), *lines])
    assert run.events[-1].payload["content"] == [thinking, {"type": "text", "text": "Yes."}]


def test_sessions_in_one_file_are_runs_of_their_own_and_broken_lines_are_told(tmp_path: Path) -> None:
    other = claude_line(60, "user", "Other.")
    other["sessionId"] = "77aa"
    lines = [*claude_lines(), other, '{"type": "user", ', {"type": "user"}, {"sessionId": "0f1e"}, [1]]
    runs, skipped = read(claude_code, write_lines(tmp_path / "x.jsonl", lines))
    assert [run.key for run in runs] == ["claude-code/0f1e", "claude-code/77aa"]
    assert [item.where.rpartition(": ")[2] for item in skipped] == ["line 11", "line 12", "line 13", "line 14"]


def test_the_sample_data_have_their_counts(sample_data: Callable[[str], Path]) -> None:
    paths = sorted(sample_data("claude-code-transcripts").glob("*.jsonl"))
    runs = [read_one(claude_code, path) for path in paths]
    assert len(runs) == len({run.key for run in runs}) == 4
    assert units(runs) == {"lines": 61, "tool_calls": 18}
    counts = count(runs)
    assert counts["tool.call"] == counts["tool.result"] == 18
    assert counts["errors"] == 1
    assert counts["queue.dequeue"] == 4
    assert all(event.occurred_at for run in runs for event in run.events)
    answers = [event for run in runs for event in of_type(run, "message.added") if event.payload["role"] == "assistant"]
    assert len(answers) == 24
    assert counts["input_tokens"] == 480823
    assert counts["output_tokens"] == 218
