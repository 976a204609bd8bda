"""Keys that speak for one agent or one user, and keys that were rotated."""

from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from memory.errors import Invalid
from memory.models import ApiKey, Stream, Tenant
from memory.tenancy import tenant_scope
from tests.api.conftest import ApiClient

INGEST_AND_READ = ["ingest", "read"]


def client(tenant: Tenant, **bounds: Any) -> ApiClient:
    with tenant_scope(tenant.pk):
        return ApiClient(ApiKey.objects.issue(tenant, "bound", scopes=INGEST_AND_READ, **bounds)[1])


def test_a_session_of_an_agents_key_is_the_agents(acme: Tenant) -> None:
    planner = client(acme, agent_id="planner")
    made = planner.post("/sessions", {"user_id": "u"})
    assert (made.status_code, made.json()["agent_id"]) == (201, "planner")
    assert planner.post("/sessions", {"user_id": "u", "agent_id": "other"}).status_code == 403


def test_a_users_key_opens_no_session_of_another(acme: Tenant) -> None:
    mara = client(acme, user_id="mara")
    assert mara.post("/sessions", {"user_id": "mara"}).status_code == 201
    assert mara.post("/sessions", {"user_id": "bob"}).status_code == 403


def test_a_new_stream_must_say_that_it_is_the_keys_and_cannot_become_anothers(acme: Tenant) -> None:
    planner = client(acme, agent_id="planner")
    told: dict[str, Any] = {"type": "step.started", "payload": {"agent_id": "planner"}}
    assert planner.post("/streams/mine/events", {"events": [{"type": "a.b"}]}).status_code == 403
    with tenant_scope(acme.pk):
        assert not Stream.objects.exists()
    assert planner.post("/streams/mine/events", {"events": [told]}).status_code == 201
    assert planner.post("/streams/mine/events", {"events": [{"type": "a.b"}]}).status_code == 201
    foreign = {"type": "a.b", "payload": {"agent_id": "other"}}
    assert planner.post("/streams/mine/events", {"events": [foreign]}).status_code == 403
    assert client(acme, agent_id="other").post("/streams/mine/events", {"events": [foreign]}).status_code == 404


def test_lists_show_what_is_the_keys_alone(acme: Tenant, api: ApiClient) -> None:
    for agent in ("planner", "other"):
        api.post(f"/streams/of-{agent}/events", {"events": [{"type": "a.b", "payload": {"agent_id": agent}}]})
    planner = client(acme, agent_id="planner")
    assert [row["name"] for row in planner.get("/streams").json()["results"]] == ["of-planner"]
    assert [row["id"] for row in planner.get("/agents").json()["results"]] == ["planner"]
    assert planner.get("/events").status_code == 403
    assert planner.get("/usage/savings").status_code == 403
    assert api.get("/events").status_code == 200


def test_a_search_for_another_user_is_refused(acme: Tenant) -> None:
    mara = client(acme, user_id="mara")
    assert mara.post("/search", {"query": "x"}).status_code == 200
    assert mara.post("/search", {"query": "x", "filters": {"user_id": "bob"}}).status_code == 403


def test_another_agents_event_has_no_causes(acme: Tenant, api: ApiClient) -> None:
    for agent in ("planner", "other"):
        told = {"id": f"event-of-{agent}", "type": "a.b", "payload": {"agent_id": agent}}
        api.post(f"/streams/of-{agent}/events", {"events": [told]})
    planner = client(acme, agent_id="planner")
    for path in ("/events/event-of-{}/causes", "/events/event-of-{}/effects", "/runs/of-{}/hints"):
        assert planner.get(path.format("planner")).status_code == 200
        assert planner.get(path.format("other")).status_code == 404
    unseen, unknown = (planner.get(f"/events/event-of-{name}/causes").json()["detail"] for name in ("other", "nobody"))
    assert unseen.replace("other", "nobody") == unknown


def test_another_runs_state_is_not_compared_with(acme: Tenant, api: ApiClient) -> None:
    for agent in ("planner", "other"):
        api.post(f"/streams/of-{agent}/events", {"events": [{"type": "a.b", "payload": {"agent_id": agent}}]})
    planner = client(acme, agent_id="planner")
    assert planner.get("/runs/of-planner/steps/1/changes").status_code == 200
    assert planner.get("/runs/of-planner/steps/1/changes?against_stream=of-other").status_code == 404
    assert planner.get("/runs/of-planner/diff/of-other").status_code == 404


def test_an_answer_is_not_given_again_to_a_key_that_would_not_have_got_it(acme: Tenant, api: ApiClient) -> None:
    body = {"user_id": "bob"}
    assert api.post("/sessions", body, Idempotency_Key="once").status_code == 201
    assert client(acme, user_id="mara").post("/sessions", body, Idempotency_Key="once").status_code == 422


@pytest.mark.django_db
def test_a_bound_key_manages_nothing(acme: Tenant) -> None:
    with tenant_scope(acme.pk), pytest.raises(Invalid, match="manage"):
        ApiKey.objects.issue(acme, "k", agent_id="planner")
    with tenant_scope(acme.pk), pytest.raises(Invalid, match="scopes"):
        ApiKey.objects.issue(acme, "k", scopes=[])


def test_a_rotated_key_opens_until_its_overlap_ends_and_the_new_one_may_the_same(acme: Tenant) -> None:
    now = timezone.now()
    with tenant_scope(acme.pk):
        old, old_text = ApiKey.objects.issue(acme, "k", scopes=["read"], agent_id="planner", requests_a_minute=9)
        new, new_text = old.rotate(now, timedelta(hours=1))
    assert ApiClient(old_text).get("/streams").status_code == 200
    assert ApiClient(new_text).get("/streams").status_code == 200
    assert not old.is_usable(now + timedelta(hours=1))
    assert (new.scopes, new.agent_id, new.requests_a_minute, new.expires_at, new.replaces) == (
        ["read"], "planner", 9, None, old.prefix,
    )  # fmt: skip
    with tenant_scope(acme.pk):
        old.rotate(now, timedelta(0))
    assert ApiClient(old_text).get("/streams").status_code == 401


def test_over_the_limit_the_answer_says_when_to_come_again(acme: Tenant) -> None:
    with tenant_scope(acme.pk):
        few = ApiClient(ApiKey.objects.issue(acme, "few", events_a_minute=2)[1])
    events = [{"type": "a.b"}] * 3
    refused = few.post("/streams/run/events", {"events": events})
    assert (refused.status_code, refused.headers["Content-Type"]) == (429, "application/problem+json")
    assert int(refused.headers["Retry-After"]) == refused.json()["retry_after"] >= 1
    assert (refused.json()["measure"], refused.json()["limit"], refused.json()["of"]) == ("events", 2, "key")
    with tenant_scope(acme.pk):
        assert not Stream.objects.exists()
