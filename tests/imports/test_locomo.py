"""LoCoMo conversations."""

from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

from memory.imports import locomo
from tests.imports.examples import locomo_sample
from tests.imports.reading import count, read, types, units, write


def test_each_session_is_a_run_of_named_users(tmp_path: Path) -> None:
    runs, _ = read(locomo, write(tmp_path / "locomo.json", [locomo_sample()]))
    assert [types(run) for run in runs] == [["message.added"] * 2, ["message.added"]]
    assert [event.payload["name"] for event in runs[0].events] == ["Ana", "Ben"]
    assert {event.payload["role"] for run in runs for event in run.events} == {"user"}
    assert runs[0].events[0].metadata["dia_id"] == "D1:1"
    assert runs[0].title == "Ana and Ben, session 1, 1:56 pm on 8 May, 2023"
    assert {run.user_id for run in runs} == {"conv-1"}


def test_the_conversation_counts_with_its_first_session(tmp_path: Path) -> None:
    runs, _ = read(locomo, write(tmp_path / "locomo.json", [locomo_sample()]))
    assert [run.counts for run in runs] == [
        {"conversations": 1, "sessions": 1, "turns": 2},
        {"conversations": 0, "sessions": 1, "turns": 1},
    ]


def test_every_turn_has_the_time_of_its_session_taken_as_utc(tmp_path: Path) -> None:
    runs, _ = read(locomo, write(tmp_path / "locomo.json", [locomo_sample()]))
    assert {event.occurred_at for event in runs[0].events} == {datetime(2023, 5, 8, 13, 56, tzinfo=UTC)}
    assert {event.occurred_at for event in runs[1].events} == {datetime(2023, 9, 13, 0, 9, tzinfo=UTC)}
    assert runs[0].metadata["date_time"] == "1:56 pm on 8 May, 2023"
    assert "assumed UTC" in runs[0].metadata["time_zone"]


def test_the_caption_of_a_picture_is_part_of_the_text(tmp_path: Path) -> None:
    runs, _ = read(locomo, write(tmp_path / "locomo.json", [locomo_sample()]))
    assert runs[0].events[1].payload["content"] == "Look!\n[picture: a photo of a dog]"
    assert runs[0].events[1].metadata["img_url"] == ["u"]


def test_dates_without_turns_are_no_runs(tmp_path: Path) -> None:
    path = write(tmp_path / "locomo.json", [locomo_sample()])
    runs, skipped = read(locomo, path)
    assert len(runs) == 2
    assert [(item.where, item.reason) for item in skipped] == [
        (f"{path}: record 1: 'conv-1': session_3", "has a date but no turns")
    ]


def test_sessions_come_in_the_order_of_their_numbers(tmp_path: Path) -> None:
    sample = locomo_sample()
    sample["conversation"] |= {"session_10": [{"speaker": "Ana", "text": "Ten"}], "session_3": [{"speaker": "Ana"}]}
    runs, _ = read(locomo, write(tmp_path / "locomo.json", [sample]))
    assert [run.metadata["session"] for run in runs] == ["session_1", "session_2", "session_3", "session_10"]


def test_a_date_that_is_not_understood_is_told_and_kept(tmp_path: Path) -> None:
    sample = locomo_sample()
    sample["conversation"]["session_2_date_time"] = "some day"
    runs, skipped = read(locomo, write(tmp_path / "locomo.json", [sample]))
    assert runs[1].events[0].occurred_at is None
    assert runs[1].metadata["date_time"] == "some day"
    assert "'some day' is not understood" in skipped[-1].reason


def test_a_broken_turn_or_conversation_costs_only_itself(tmp_path: Path) -> None:
    sample = locomo_sample()
    sample["conversation"]["session_1"][0] = {"text": "who?"}
    runs, skipped = read(locomo, write(tmp_path / "locomo.json", [{"conversation": 5}, {"conversation": {}}, sample]))
    assert units(runs)["turns"] == 2
    assert len(skipped) == 2 + 1 + 1


def test_conversations_of_the_same_name_have_keys_of_their_own(tmp_path: Path) -> None:
    other = locomo_sample()
    other["conversation"]["session_1"][0]["text"] = "Hello!"
    del other["conversation"]["session_2"]
    runs, _ = read(locomo, write(tmp_path / "locomo.json", [locomo_sample(), other]))
    assert len({run.key for run in runs}) == 3


def test_the_sample_data_have_their_counts(sample_data: Callable[[str], Path]) -> None:
    runs, skipped = read(locomo, sample_data("locomo") / "locomo10.json")
    assert len(runs) == len({run.key for run in runs}) == 99
    assert units(runs) == {"conversations": 4, "sessions": 99, "turns": 2080}
    assert count(runs)["message.added"] == 2080
    assert len(skipped) == 16
    assert {item.reason for item in skipped} == {"has a date but no turns"}
    assert all(event.occurred_at for run in runs for event in run.events)
    assert len({event.metadata["dia_id"] for run in runs if run.user_id == "conv-26" for event in run.events}) == 419
