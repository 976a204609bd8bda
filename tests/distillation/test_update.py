"""What becomes of a candidate beside what is known: rules, without a database."""

from dataclasses import replace
from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.distillation.data import Candidate
from memory.distillation.merge import adds, is_same_problem, merged
from memory.distillation.policy import Policy, choose
from memory.distillation.update import Neighbour, Thresholds, Verdict, decide
from memory.errors import Invalid
from memory.layers.distilled import PRIOR, after_verdict
from memory.vocabulary import DistillationMode, Kind, Method, TaskStatus
from tests.distillation.turning import MAY

FULL = "The disk of build-7 is full."
CANDIDATE = Candidate(
    kind=Kind.SOLUTION,
    method=Method.DIRECT,
    problem=FULL,
    solution="Delete the old logs in /var/log.",
    language="en",
    entities=(),
    subject="",
    value="",
    confidence=0.6,
    importance=0.5,
    terms={},
    sources=("m1",),
    occurred_at=MAY,
    personal=False,
)


def near(similarity: float, solution: str = "Delete the old logs in /var/log.", **given: object) -> Neighbour:
    known = {"problem": FULL, "kind": Kind.SOLUTION, "subject": "", "value": "", "confidence": 0.6, "valid_from": MAY}
    return Neighbour(id="exp_1", solution=solution, similarity=similarity, **(known | given))  # type: ignore[arg-type]


def verdict(candidate: Candidate, *neighbours: Neighbour, **given: float) -> Verdict:
    return decide(candidate, neighbours, Thresholds(**given))  # type: ignore[arg-type]


def test_what_nothing_is_like_is_new() -> None:
    assert (verdict(CANDIDATE).action, verdict(CANDIDATE, near(0.69)).action) == ("insert", "insert")


def test_what_is_known_and_adds_nothing_is_discarded() -> None:
    assert verdict(CANDIDATE, near(0.97)).rule == "redundant"


def test_what_is_nearly_known_and_adds_a_number_is_an_update_that_keeps_both() -> None:
    told = verdict(replace(CANDIDATE, solution="Delete the old logs in /var/log older than 14 days."), near(0.97))

    assert (told.action, told.rule) == ("update", "adds")
    assert "14" in told.solution
    assert told.solution.startswith("Delete the old logs in /var/log.")


def test_the_same_problem_with_another_solution_is_merged() -> None:
    told = verdict(replace(CANDIDATE, solution="Move /srv/cache to the volume data-2."), near(0.8))

    assert told.action == "merge"
    assert {"/var/log", "data-2"} <= {word.strip(".") for word in told.solution.split()}


def test_what_reads_alike_and_names_something_else_stays_apart() -> None:
    other = replace(CANDIDATE, problem="The disk of build-9 is full.", solution="Replace the disk /dev/sdb.")

    assert [verdict(other, near(similarity)).action for similarity in (0.8, 0.97)] == ["insert", "insert"]


def test_statements_and_solutions_are_not_compared() -> None:
    assert verdict(replace(CANDIDATE, kind=Kind.FACT, problem=""), near(0.99)).rule == "new"


HOME = replace(
    CANDIDATE, kind=Kind.PROFILE, problem="", solution="User: I live in Lisbon.", subject="user: home", value="Lisbon"
)
BERLIN = near(0.86, "User: I live in Berlin.", kind=Kind.PROFILE, problem="", subject="user: home", value="Berlin")


def test_another_value_of_a_subject_supersedes_if_it_is_newer() -> None:
    told = verdict(replace(HOME, occurred_at=MAY + timedelta(days=1)), BERLIN)

    assert (told.action, told.rule, told.supersedes) == ("insert", "supersedes", True)


def test_an_older_value_that_comes_late_is_history() -> None:
    told = verdict(replace(HOME, occurred_at=MAY - timedelta(days=1)), BERLIN)

    assert (told.action, told.superseded) == ("insert", True)


def test_a_newer_value_that_is_much_less_sure_is_not_believed() -> None:
    assert verdict(replace(HOME, confidence=0.3), BERLIN).rule == "unsure"


def test_with_precision_over_recall_only_what_is_as_sure_is_believed() -> None:
    assert verdict(replace(HOME, confidence=0.5), BERLIN).rule == "supersedes"
    assert verdict(replace(HOME, confidence=0.5), BERLIN, precision_over_recall=True).rule == "unsure"


def test_the_same_value_in_other_words_is_no_contradiction() -> None:
    same = replace(HOME, value="berlin", solution="User: I live in Berlin!")

    assert verdict(same, BERLIN).action == "discard"


texts = st.text(st.characters(codec="utf-8"), max_size=200)


@given(texts, texts, texts, texts)
def test_a_merged_text_holds_the_first_and_every_specific_of_the_second(
    one: str, two: str, three: str, four: str
) -> None:
    problem, solution = merged(one, two, three, four)

    assert problem.startswith(one)
    assert solution.startswith(two)
    for line in four.splitlines():
        assert [each for each in adds(line, solution) if any(c.isdigit() for c in each)] == []


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("nginx returns 502 for /api", "Why does nginx return 502 for /api?", True),
        ("nginx returns 502 for /api", "nginx returns 404 for /login", False),
        ("Postgres refuses connections on port 5432", "Redis refuses connections on port 6379", False),
        ("磁盘已经满了怎么办", "磁盘满了，怎么办？", True),
    ],
)
def test_problems_are_one_if_their_words_are_and_no_name_differs(one: str, other: str, same: bool) -> None:
    assert is_same_problem(one, other) is same


@pytest.mark.parametrize(
    ("wish", "status", "characters", "messages", "mode"),
    [
        ("light", "completed", 5000, 9, "light"), ("full", "open", 0, 0, "full"), (None, "open", 5000, 9, "light"),
        (None, "completed", 5000, 0, "full"), (None, "completed", 10, 0, "light"), (None, "completed", 10, 5, "full"), (None, "failed", 5000, 0, "light"),
    ],
)  # fmt: skip
def test_a_tenants_policy_chooses_the_path(
    wish: str | None, status: str, characters: int, messages: int, mode: str
) -> None:
    chosen, reason = choose(wish, TaskStatus(status), characters, messages, Policy())

    assert chosen == DistillationMode(mode)
    assert reason


@pytest.mark.parametrize("wish", ["both", "", 1, ["full"], {}])
def test_a_wish_that_is_none_is_refused(wish: object) -> None:
    with pytest.raises(Invalid):
        choose(wish, TaskStatus.OPEN, 0, 0, Policy())


@given(st.floats(0, 1), st.lists(st.sampled_from([0.0, 1.0]), min_size=1, max_size=30))
def test_feedback_moves_confidence_to_the_mean_of_the_posterior(before: float, verdicts: list[float]) -> None:
    after = before
    for number, each in enumerate(verdicts, start=1):
        after = after_verdict(after, each, number)

    expected = (PRIOR * before + sum(verdicts)) / (PRIOR + len(verdicts))
    assert after == pytest.approx(expected, abs=0.002)
