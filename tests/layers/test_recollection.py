"""What memory has to say on a question in a session."""

from collections import OrderedDict
from typing import Any

import numpy as np
import pytest

from memory.layers import kinship, recollection
from memory.models import Experience, Source, Tenant
from memory.retrieval.search import Hit
from memory.vocabulary import Collection
from tests.retrieval.making import embedded, experience


class Plain:
    """Texts on the disk lie in one direction, others in another; what all have in common in a third."""

    model, dimension, asked = "plain", 3, 0

    def embed_query(self, texts: Any) -> Any:
        self.asked += len(texts)
        found = [[0.9, 0.4, 0.0] if "disk" in text else [0.9, 0.0, 0.4] for text in texts]
        return np.array(found, np.float32)

    embed_passages = embed_query


@pytest.fixture
def few(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kinship, "LANDMARKS", ("rain",))
    monkeypatch.setattr(kinship, "_kept", OrderedDict())


@pytest.mark.usefixtures("few")
def test_problems_are_embedded_once_and_no_more_are_kept_than_may_be(monkeypatch: pytest.MonkeyPatch) -> None:
    model = Plain()
    monkeypatch.setattr(kinship, "MOST_KEPT", 3)
    kinship.nearness("the disk", ["disk full", "slow", "disk full"], [None] * 3, model)
    assert model.asked == 3 + 2  # question, two problems; the landmark as a question and as a passage
    kinship.nearness("the disk", ["disk full", "slow"], [None] * 2, model)
    assert len(kinship._kept) == 3


@pytest.mark.usefixtures("few")
def test_what_all_vectors_have_in_common_brings_nothing_near() -> None:
    model = Plain()
    problems = ["disk full", "slow", "cold"]
    near = kinship.nearness("the disk", problems, list(model.embed_passages(problems)), model)
    assert near[0] == pytest.approx(1)
    assert near[1] == near[2] < 0


@pytest.mark.usefixtures("few")
def test_an_experience_whose_text_has_no_vector_yet_is_known_by_its_problem() -> None:
    near = kinship.nearness("the disk", ["disk full", "slow"], [None, None], Plain())
    assert near[0] == pytest.approx(1)


def known(problem: str, solution: str, user: str = "", kind: str = "solution") -> Experience:
    made = experience(solution, problem=problem, user_id=user, kind=kind)
    embedded(made)
    return made


def test_the_experience_whose_problem_is_asked_in_other_words_comes_first_and_only_what_the_user_may_see(
    in_acme: Tenant,
) -> None:
    disk = known("The disk of the database server is full.", "Delete the old logs, then run VACUUM.")
    known("The train to Oslo was late.", "Take the bus from the central station.")
    theirs = known("The disk of the server has no room left.", "Buy another one.", user="bob")
    found = recollection.recall("There is no space left on the storage volume.", 2, "ann").found
    assert found[0].id == disk.pk
    assert theirs.pk not in {each.id for each in found}
    assert found[0].score == pytest.approx(sum(found[0].scores.values()))
    assert {"meaning", "lexical"} <= found[0].scores.keys()
    assert theirs.pk in {each.id for each in recollection.recall("no room on the disk", 3, "bob").found}


def hit(name: str, kind: str, words: float = 0.0) -> Hit:
    return Hit(Collection.EXPERIENCE, name, name, 0.0, {}, {"lexical": words}, {"kind": kind})


@pytest.mark.parametrize(
    ("hits", "near", "far"),
    [
        ([hit("a", "solution"), hit("b", "procedure"), hit("c", "solution")], [0.4, 0.2, 0.19], {2}),
        ([hit("a", "solution"), hit("b", "fact"), hit("c", "preference")], [0.4, 0.1, -0.2], set()),
        ([hit("a", "solution", 1.0), hit("b", "solution", 2.0)], [0.4, 0.1], set()),  # it alone has the words
        ([hit("a", "solution", 1.1), hit("b", "solution", 2.0)], [0.4, 0.1], {1}),
        ([hit("a", "solution"), hit("b", "solution")], [-0.1, -0.2], set()),  # nothing tells them apart
        ([hit("a", "solution")], [0.1], set()),
        ([], [], set()),
    ],
)
def test_solutions_less_than_half_as_near_as_the_nearest_are_far_and_statements_never(
    hits: list[Hit], near: list[float], far: set[int]
) -> None:
    assert recollection._far(hits, near) == far


def test_a_solution_that_alone_has_a_word_of_the_question_is_not_left_out(in_acme: Tenant) -> None:
    known("The payment page shows an error.", "Clear the cache of the browser.")
    known("The error page of the shop is empty.", "Set ERROR_PAGE to the path of the template.")
    code = known("Unit 7 blinks red and reports QX-4711.", "Replace the fan.")
    found = recollection.recall("What does the error page mean by QX-4711?", 5, "ann").found
    assert code.pk in {each.id for each in found}


def test_an_empty_memory_has_nothing_to_say(in_acme: Tenant) -> None:
    assert recollection.recall("Anything?", 5, "ann").found == []


def test_origins_are_told_of_experiences_that_rest_on_one_stream_alone(in_acme: Tenant) -> None:
    one, two = known("a", "b"), known("c", "d")
    for made, stream, version in ((one, "here", 1), (one, "here", 2), (two, "here", 3), (two, "there", 1)):
        Source.objects.create(
            tenant=in_acme, experience=made, stream_name=stream, event_version=version, message_id="m", created_at=one.created_at
        )  # fmt: skip
    assert recollection.origins([one.pk, two.pk], "here") == {one.pk: {1, 2}}
    assert recollection.origins([one.pk], "there") == {}
