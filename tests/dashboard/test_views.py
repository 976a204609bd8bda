"""The pages, as far as no browser is needed to see what they do."""

import threading
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.db import connection
from django.test import Client

from dashboard.views import live
from memory.events import store
from memory.events.draft import draft
from memory.layers import session
from memory.models import Session, Stream, Tenant, User
from memory.tenancy import tenant_scope


def record(tenant: Tenant, name: str, *events: tuple[str, dict[str, Any]]) -> Stream:
    with tenant_scope(tenant.pk):
        store.append(name, [draft({"type": kind, "payload": payload}, store.limits()) for kind, payload in events])
        return Stream.objects.named(name)


@pytest.mark.parametrize("path", ["/", "/runs/", "/runs/x/", "/runs/x/strip/", "/runs/x/steps/1/", "/runs/x/live/"])
def test_nobody_looks_without_logging_in(db: None, path: str) -> None:
    assert Client().get(path)["Location"] == f"/login/?next={path}"


def test_a_person_without_a_tenant_is_told_so(db: None) -> None:
    client = Client()
    client.force_login(User.objects.create_user("new@example.com", "x"))
    assert client.get("/").status_code == 403


@pytest.mark.parametrize("path", ["", "strip/", "timeline/?after=0", "steps/1/", "steps/1/payload/", "live/?after=0"])
def test_another_tenants_run_is_not_there(pages: Client, globex: Tenant, path: str) -> None:
    record(globex, "theirs", ("note.made", {}))
    assert pages.get(f"/runs/theirs/{path}").status_code == 404


def test_a_tenant_that_one_does_not_belong_to_cannot_be_chosen(pages: Client, acme: Tenant, globex: Tenant) -> None:
    record(globex, "theirs", ("note.made", {}))
    pages.post("/tenant/", {"tenant": "globex"})
    assert pages.get("/runs/theirs/").status_code == 404


@pytest.mark.parametrize("duration", [10**400, -(10**400), 1e300, True, "5", None, [], -1])
def test_no_duration_breaks_a_run(pages: Client, acme: Tenant, duration: object) -> None:
    record(acme, "odd", ("tool.result", {"duration_ms": duration, "content": "x"}))
    for path in ("/runs/odd/", "/runs/odd/timeline/?around=1", "/runs/odd/steps/1/", "/runs/"):
        assert pages.get(path).status_code == 200


@pytest.mark.parametrize("at", ["abc", "-1", "0", "99", "9" * 30, "١", ""])
def test_any_step_in_the_address_shows_some_step(pages: Client, acme: Tenant, at: str) -> None:
    record(acme, "run", ("note.made", {}), ("note.made", {}))
    assert pages.get("/runs/run/", {"at": at}).status_code == 200


def test_the_number_of_queries_does_not_grow_with_the_rows(
    pages: Client, acme: Tenant, django_assert_max_num_queries: Any
) -> None:
    for number in range(30):
        record(acme, f"run-{number}", *[("tool.call", {"name": "x"})] * 20)
    for path in ("/", "/runs/", "/runs/run-1/"):
        with django_assert_max_num_queries(25):
            pages.get(path)


def test_a_search_that_takes_too_long_says_so(pages: Client, acme: Tenant, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(3):
        record(acme, f"run-{number}", ("note.made", {"text": "y" * 4_000_000 if number else "y"}))

    with monkeypatch.context() as impatient:
        impatient.setattr("dashboard.views.runs.SEARCH_SECONDS", 0.002)
        answer = pages.get("/runs/", {"q": "nowhere to be found"})

    assert answer.status_code == 200
    assert answer.context["is_too_slow"]
    assert pages.get("/runs/").context["runs"], "the connection is none the worse for it"


def test_an_expired_session_keeps_its_place_and_its_length(pages: Client, acme: Tenant) -> None:
    with tenant_scope(acme.pk):
        name = session.create("mara").pk
        before = Stream.objects.named(name)
        later = datetime.now(UTC) + timedelta(days=2)
        assert len(session.expire_due(later)) == 1
        after = Stream.objects.named(name)
        assert Session.objects.with_id(name).expired_at
    assert after.version == before.version + 1
    assert (after.last_event_at, after.ended_at) == (before.last_event_at, before.ended_at)


@pytest.mark.django_db(transaction=True)
def test_followers_are_limited_and_give_their_place_back(
    pages: Client, acme: Tenant, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(live, "_followers", threading.BoundedSemaphore(1))
    record(acme, "run", ("note.made", {}))
    first = pages.get("/runs/run/live/?after=0")
    lines = iter(first)
    assert next(lines) == b": following\n\n"
    assert b'"version": 1' in next(lines)

    refused = pages.get("/runs/run/live/?after=0")
    first.close()
    again = pages.get("/runs/run/live/?after=0")

    assert (refused.status_code, refused["Retry-After"]) == (503, "5")
    assert again.status_code == 200
    again.close()
    connection.close()
