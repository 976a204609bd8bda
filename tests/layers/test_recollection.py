"""What memory has to say on a question in a session."""

from typing import Any

import numpy as np
import pytest

from memory.layers import kinship, recollection
from memory.models import Experience, Source, Tenant
from tests.retrieval.making import embedded, experience


def test_problems_are_embedded_once_and_no_more_are_kept_than_may_be(monkeypatch: pytest.MonkeyPatch) -> None:
    class Counting:
        model, dimension, asked = "counting", 2, 0

        def embed_query(self, texts: Any) -> Any:
            self.asked += len(texts)
            return np.array([[1.0, 0.0] if "disk" in text else [0.0, 1.0] for text in texts], np.float32)

        embed_passages = embed_query

    model = Counting()
    monkeypatch.setattr(kinship, "MOST_KEPT", 2)
    assert kinship.to_problems("the disk", ["disk full", "slow", "disk full"], model) == [1.0, 0.0, 1.0]
    assert model.asked == 3
    assert kinship.to_problems("the disk", ["disk full", "slow"], model) == [1.0, 0.0]
    assert model.asked == 4
    kinship.to_problems("the disk", ["other", "more"], model)
    assert len(kinship._kept) == 2


def known(problem: str, solution: str, user: str = "") -> Experience:
    made = experience(solution, problem=problem, user_id=user)
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
