"""Complaints that something proposed did not help, and which exchange each belongs to."""

import pytest

from memory.distillation.complaint import is_complaint, without_complaint
from tests.distillation.turning import chat, extracted

BUILD = "The build of the shop fails on the runner with error E42 whenever the cache is cold."
PIN = "Pin setuptools to 68.2 in requirements.txt."
MAIL = "Invitations to new members land in the junk folder of their mail program."
SPF = "Add the new provider to the SPF record of example.org."


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (f"Your earlier suggestion did not help. The log says: ERROR [17] still failing. {BUILD}", BUILD),
        (f"Still the same. {BUILD}", BUILD),
        (f"你之前的建议没有用。{BUILD}", BUILD),
        ("That did not help.", ""),
        ("My VPN is not working since the update.", "My VPN is not working since the update."),
    ],
)
def test_a_complaint_is_told_apart_from_the_problem_in_it(text: str, told: str) -> None:
    assert is_complaint(text)
    assert without_complaint(text) == told


def test_a_complaint_that_tells_an_earlier_problem_again_rejects_what_was_proposed_for_that_one() -> None:
    build, mail = sorted(
        extracted(
            chat(BUILD, "Clear the cache of the runner.", MAIL, SPF, f"Your suggestion did not help. {BUILD}", PIN)
        ).candidates,
        key=lambda each: each.problem,
        reverse=True,
    )

    assert build.problem == BUILD
    assert build.solution.startswith(PIN)
    assert "Did not work: Clear the cache" in build.solution
    assert build.sources == ("m1", "m2", "m5", "m6")
    assert (mail.problem, mail.solution) == (MAIL, SPF)


def test_a_complaint_about_what_was_proposed_elsewhere_opens_an_exchange_of_its_own() -> None:
    mail, build = extracted(
        chat(MAIL, SPF, f"Your earlier suggestion did not help. ERROR [17] still failing. {BUILD}", PIN)
    ).candidates

    assert (mail.problem, mail.solution) == (MAIL, SPF)
    assert (build.problem, build.solution) == (BUILD, PIN)


def test_a_conversation_that_begins_with_a_complaint_keeps_its_problem_alone() -> None:
    (found,) = extracted(chat(f"Your earlier suggestion did not help. {BUILD}", PIN)).candidates

    assert found.problem == BUILD


def test_what_a_complaint_adds_is_told_on_top_of_the_problem() -> None:
    (found,) = extracted(
        chat(
            BUILD,
            "Clear the cache of the runner.",
            "That did not help. The runner is a fresh virtual machine with Debian 12 and no cache at all.",
            PIN,
        )
    ).candidates

    assert found.problem.startswith(BUILD)
    assert "Debian 12" in found.problem
    assert "did not help" not in found.problem
    assert "Did not work: Clear the cache" in found.solution


def test_a_new_error_in_a_complaint_stands_beside_the_attempt_that_it_is_about() -> None:
    (found,) = extracted(
        chat(BUILD, "Clear the cache of the runner.", "That did not help, now it fails with error E77.", PIN)
    ).candidates

    assert "Did not work: Clear the cache of the runner. → That did not help, now it fails with error E77." in (
        found.solution
    )


def test_an_answer_that_is_given_again_after_a_complaint_is_not_told_as_one_that_failed() -> None:
    once, again = (
        extracted(chat(BUILD, PIN, *more)).candidates[0] for more in ((), (f"Still the same error. {BUILD}", PIN))
    )

    assert again.solution == once.solution
    assert again.confidence < once.confidence
