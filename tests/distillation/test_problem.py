"""What was asked, out of what was said around it."""

import pytest

from memory.distillation.problem import is_stated, points_back, stated
from tests.distillation.turning import turn

ISSUE = "The importer reads the last column twice when a row ends in a comma."


@pytest.mark.parametrize(
    "prompt",
    [
        f"We work on the following issue.\nISSUE:\n{ISSUE}\n\nINSTRUCTIONS:\nOpen one file at a time, and never ask back.",
        f"<uploaded_files>\n/srv/app\n</uploaded_files>\nConsider this:\n<issue_description>\n{ISSUE}\n</issue_description>\nFollow these steps.",
        f"You have all tools.\n\n# Problem Statement\n{ISSUE}\n\nIMPORTANT: only use the tools that you are given.",
        f"{ISSUE}\n\n## Instructions\nAnswer in JSON.",
        ISSUE,
    ],
)
def test_a_problem_is_read_out_of_the_prompt_that_states_it(prompt: str) -> None:
    assert stated(prompt).strip() == ISSUE


def test_a_prompt_whose_parts_hold_next_to_nothing_is_read_whole() -> None:
    assert stated("TASK: go\nINSTRUCTIONS:\nClean the kitchen.") == "TASK: go\nINSTRUCTIONS:\nClean the kitchen."


@pytest.mark.parametrize(
    ("text", "wants"),
    [
        ("Why is my build so slow?", True),
        ("I need a flight to Oslo.", True),
        ("Write a poem about spring.", True),
        ("I can't log in to my account.", True),
        ("I changed /etc/nginx/nginx.conf and restarted it.", True),
        ("请帮我订一家酒店。", True),
        ("I spent the weekend in the garden with my sister and her dog.", False),
        ("In 2013 I played in a band that toured the islands.", False),
        ("我昨天和家人去了长城。", False),
    ],
)
def test_somebody_who_only_tells_of_themselves_wants_nothing_solved(text: str, wants: bool) -> None:
    assert is_stated([turn(1, "user", text)]) is wants


@pytest.mark.parametrize(
    ("text", "points"),
    [
        ("How long does it take?", True),
        ("Is there another one?", True),
        ("这家餐馆的地址在哪？", True),
        ("How long does the trip to Oslo take?", False),
        ("The certificate was renewed, and browsers warn that it has expired.", False),
        ("The training job differs on each run, though the seed is set at its beginning.", False),
        ("Does it listen on port 8080?", False),
        ("八达岭长城的门票多少钱？", False),
    ],
)
def test_a_request_points_back_when_it_names_nothing_of_its_own(text: str, points: bool) -> None:
    assert points_back([turn(1, "user", text)]) is points
