"""`Idempotency-Key`: the same request again gets the first answer and writes nothing."""

from typing import Any

import pytest

from memory.models import IdempotencyKey, Stream, Tenant
from memory.tenancy import tenant_scope
from tests import tables
from tests.api.conftest import ApiClient
from tests.threads import at_once

ONE = {"events": [{"type": "a.b", "payload": {"n": 2**70, "s": "é\u2028"}}]}
RUN = "/streams/run-1/events"


def test_a_request_sent_again_gets_the_first_answer_and_writes_nothing(api: ApiClient) -> None:
    first = api.post(RUN, ONE, Idempotency_Key="k")
    before = tables.row_counts()
    again = api.post(RUN, ONE, Idempotency_Key="k")
    assert (again.status_code, again.content, again["Content-Type"]) == (201, first.content, "application/json")
    assert again["Idempotency-Replayed"] == "true"
    assert "Idempotency-Replayed" not in first
    assert tables.row_counts() == before


def test_every_post_honours_the_key(api: ApiClient) -> None:
    session = api.post("/sessions", {"user_id": "u"}).json()["id"]
    for number, (path, body) in enumerate(
        [("/sessions", {"user_id": "u"}), (f"/sessions/{session}/messages", {"role": "user", "content": "x"}),
         ("/tasks", {"session_id": session, "input": "x"}), (RUN, ONE)]
    ):  # fmt: skip
        answers = [api.post(path, body, Idempotency_Key=f"k{number}").content for _ in range(3)]
        assert len(set(answers)) == 1, path


def test_the_key_of_one_request_is_refused_for_another(api: ApiClient) -> None:
    api.post(RUN, ONE, Idempotency_Key="k")
    before = tables.row_counts()
    others: list[tuple[str, Any]] = [
        (RUN, {"events": [{"type": "a.c"}]}), (f"{RUN}?x=1", ONE), ("/streams/run-2/events", ONE), ("/sessions", {"user_id": "u"}), (RUN, b"not JSON"),
    ]  # fmt: skip
    for path, body in others:
        response = api.post(path, body, Idempotency_Key="k")
        assert (response.status_code, response.json()["type"]) == (422, "urn:aresweb:problem:idempotency-key-reused")
    assert tables.row_counts() == before


def test_after_a_request_that_failed_the_key_is_free_again(api: ApiClient) -> None:
    for wrong in ({"events": []}, b"not JSON", {"events": [{"type": "a.b"}], "expected_version": 9}):
        before = tables.row_counts()
        assert api.post(RUN, wrong, Idempotency_Key="k").status_code >= 400
        assert tables.row_counts() == before
    assert api.post(RUN, ONE, Idempotency_Key="k").status_code == 201


def test_another_tenants_same_key_is_another_one(api: ApiClient, stranger: ApiClient) -> None:
    assert [client.post(RUN, ONE, Idempotency_Key="k").status_code for client in (api, stranger)] == [201, 201]
    assert stranger.post(RUN, {"events": [{"type": "a.c"}]}, Idempotency_Key="k").status_code == 422


@pytest.mark.parametrize("key", ["", " ", "a b", "x" * 201, "\xe9", "\0", "a\tb", "a\x7f"])
def test_what_is_no_key_is_refused_and_nothing_is_written(api: ApiClient, key: str) -> None:
    before = tables.row_counts()
    response = api.post(RUN, ONE, Idempotency_Key=key)
    assert (response.status_code, response["Content-Type"]) == (400, "application/problem+json")
    assert tables.row_counts() == before


def test_other_methods_know_no_key(api: ApiClient, in_acme: Tenant) -> None:
    assert api.get("/streams", Idempotency_Key="k").status_code == 200
    assert not IdempotencyKey.objects.exists()


@pytest.mark.django_db(transaction=True)
def test_the_same_key_at_the_same_time_is_one_write(acme: Tenant, acme_key: str) -> None:
    for n in range(3):
        responses = at_once([lambda n=n: ApiClient(acme_key).post(RUN, ONE, Idempotency_Key=f"k{n}")] * 6)
        assert [response.status_code for response in responses] == [201] * 6
        assert len({response.content for response in responses}) == 1
        assert sum("Idempotency-Replayed" in response for response in responses) == 5
        with tenant_scope(acme.pk):
            assert Stream.objects.named("run-1").version == n + 1


@pytest.mark.django_db(transaction=True)
def test_the_same_key_at_the_same_time_for_two_requests_is_one_write_and_one_refusal(
    acme: Tenant, acme_key: str
) -> None:
    bodies = [{"events": [{"type": f"a.b{n}"}]} for n in range(4)]
    responses = at_once([lambda body=body: ApiClient(acme_key).post(RUN, body, Idempotency_Key="k") for body in bodies])
    assert sorted(response.status_code for response in responses) == [201, 422, 422, 422]
    with tenant_scope(acme.pk):
        assert Stream.objects.named("run-1").version == 1
