"""The pages about what is archived and what is dropped, and who may decide it."""

import re
from collections.abc import Iterator

import pytest
from django.test import Client

from memory import jobs, tenants
from memory.events import store
from memory.models import Segment, Snapshot, Tenant, User
from memory.tenancy import tenant_scope
from memory.vocabulary import Role
from tests.events.archiving import archive, recorded, small_segments
from tests.events.making import drafted
from tests.events.tampering import tamper, tampering
from tests.events.test_retention import age, keep

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def _small() -> Iterator[None]:
    with small_segments():
        yield


def member(tenant: Tenant, role: Role) -> Client:
    user = User.objects.create_user(f"{role}@example.com")
    tenants.join(user, tenant, role)
    client = Client()
    client.force_login(user)
    return client


@pytest.fixture
def admin(acme: Tenant) -> Client:
    return member(acme, Role.ADMIN)


@pytest.fixture
def operator(acme: Tenant) -> Client:
    return member(acme, Role.OPERATOR)


@pytest.fixture
def _run(acme: Tenant) -> None:
    with tenant_scope(acme.pk):
        recorded(47)


def segments(tenant: Tenant) -> int:
    with tenant_scope(tenant.pk):
        return Segment.objects.count()


@pytest.mark.usefixtures("_run")
def test_an_admin_archives_by_a_button_that_asks_whether_it_is_meant(admin: Client, acme: Tenant) -> None:
    page = admin.get("/runs/run/archive/").content.decode()
    assert "Archive all but the newest 20 events" in page
    admin.post("/runs/run/archive/")
    assert segments(acme) == 0
    after = admin.post("/runs/run/archive/", {"sure": "on"}, follow=True).content.decode()
    assert segments(acme) == 2
    assert "20 events were archived: 2 segments." in after
    assert "Archive all but" not in after


@pytest.mark.usefixtures("_run")
def test_where_an_event_is_damaged_the_page_says_what_was_archived_before_it(admin: Client, acme: Tenant) -> None:
    tamper(acme, "UPDATE memory_event SET payload_json = '{}' WHERE version = 13")
    after = admin.post("/runs/run/archive/", {"sure": "on"}, follow=True).content.decode()
    assert segments(acme) == 1
    assert "10 events were archived: 1 segment." in after
    assert "Archiving stopped. Event 13 of stream run does not match its digest." in after


@pytest.mark.usefixtures("_run")
def test_an_operator_sees_the_sizes_and_may_not_archive(operator: Client, acme: Tenant) -> None:
    page = operator.get("/runs/run/archive/").content.decode()
    assert "Archive all but the newest 20 events</label>" not in page
    assert operator.post("/runs/run/archive/", {"sure": "on"}).status_code == 403
    assert segments(acme) == 0


@pytest.mark.usefixtures("_run")
def test_the_replay_is_the_same_after_archiving(operator: Client, acme: Tenant) -> None:
    addresses = [f"/runs/run/steps/{n}/" for n in (1, 10, 11, 27, 28, 47)] + [
        "/runs/run/strip/",
        "/runs/run/timeline/?around=20",
        "/runs/run/timeline/?before=15",
        "/runs/run/timeline/?after=25",
    ]

    def shown() -> list[bytes]:
        """The pages, without the token of their forms, which is another one each time."""
        return [re.sub(rb'"csrfmiddlewaretoken" value="\w+"', b"", operator.get(each).content) for each in addresses]

    before = shown()
    with tenant_scope(acme.pk):
        archive(_stream(), 7)
    assert shown() == before
    assert operator.get("/runs/run/?at=3").status_code == 200


def _stream() -> object:
    from memory.models import Stream

    return Stream.objects.named("run")


@pytest.mark.usefixtures("_run")
def test_the_replay_says_what_is_dropped_and_goes_on_with_the_rest(operator: Client, acme: Tenant) -> None:
    with tenant_scope(acme.pk):
        archive(_stream(), 7)
    age(acme, 31, 20)
    keep(acme, 30)
    assert jobs.drop_expired_segments() == 2
    for address in ("/runs/run/?at=5", "/runs/run/steps/5/"):
        page = operator.get(address).content.decode()
        assert "retention dropped what was before event 21" in page
        assert "This state cannot be told any more" in page
    last = operator.get("/runs/run/steps/20/").content.decode()
    assert "retention dropped what was before event 21" in last
    assert "This state cannot be told any more" not in last
    assert "text 21" in operator.get("/runs/run/?at=21").content.decode()
    assert "before event 21" in operator.get("/runs/run/").content.decode()
    rows = operator.get("/runs/run/timeline/?around=20").content.decode()
    assert rows.count("(dropped)") == 20
    assert operator.get("/runs/run/strip/").json()["version"] == 47
    assert "20" in operator.get("/runs/run/archive/").content.decode()


@pytest.mark.usefixtures("_run")
def test_the_story_of_a_crash_says_which_states_are_dropped(operator: Client, acme: Tenant) -> None:
    with tenant_scope(acme.pk):
        restored = drafted("agent.restored", proof={"to_version": 12})
        store.append("run", [drafted("agent.crashed", error="out of memory"), restored])
        archive(_stream(), 7)
    age(acme, 31, 20)
    keep(acme, 30)
    assert jobs.drop_expired_segments() == 2
    assert "They cannot be compared any more" in operator.get("/runs/run/crash/").content.decode()
    with tenant_scope(acme.pk):
        Snapshot.objects.all().delete()
    assert "Retention has dropped the events that would tell it" in operator.get("/runs/run/crash/").content.decode()


@pytest.mark.usefixtures("_run")
def test_an_admin_sees_what_a_retention_would_drop_before_it_is_set(admin: Client, acme: Tenant) -> None:
    with tenant_scope(acme.pk):
        archive(_stream(), 7)
    age(acme, 31, 20)
    assert "for ever" in admin.get("/settings/retention/").content.decode()
    counted = admin.get("/settings/retention/?days=30").content.decode()
    assert "20 events of 1 run would be dropped within the hour" in counted
    assert Tenant.objects.get(pk=acme.pk).retention_days is None
    admin.post("/settings/retention/", {"days": "30"})
    assert Tenant.objects.get(pk=acme.pk).retention_days is None
    page = admin.post("/settings/retention/", {"days": "30", "sure": "on"}, follow=True).content.decode()
    assert Tenant.objects.get(pk=acme.pk).retention_days == 30
    assert "Archived events are kept for 30 days." in page
    assert "Nothing would be dropped now" in admin.get("/settings/retention/?days=32").content.decode()
    admin.post("/settings/retention/", {"days": "", "sure": "on"})
    assert Tenant.objects.get(pk=acme.pk).retention_days is None


@pytest.mark.parametrize("days", ["0", "-1", "x", "1.5", "36501", "9" * 40, "\0"])
def test_what_is_no_number_of_days_is_refused_with_a_reason(admin: Client, acme: Tenant, days: str) -> None:
    for response in (
        admin.get("/settings/retention/", {"days": days}),
        admin.post("/settings/retention/", {"days": days, "sure": "on"}),
    ):
        assert "Give a whole number" in response.content.decode()
    assert Tenant.objects.get(pk=acme.pk).retention_days is None


def test_retention_is_for_admins(operator: Client) -> None:
    assert operator.get("/settings/retention/").status_code == 403
    assert operator.post("/settings/retention/", {"days": "1", "sure": "on"}).status_code == 403
    assert "/settings/retention/" not in operator.get("/").content.decode()


@pytest.mark.usefixtures("_run")
def test_an_empty_search_says_that_archived_text_is_not_searched(operator: Client, acme: Tenant) -> None:
    note = "The text of archived events is not searched."
    assert note not in operator.get("/runs/?q=nowhere-to-be-found").content.decode()
    with tenant_scope(acme.pk):
        archive(_stream(), 7)
    assert note in operator.get("/runs/?q=nowhere-to-be-found").content.decode()
    assert note not in operator.get("/runs/?agent=nobody").content.decode()


@pytest.mark.usefixtures("_run")
def test_each_segment_is_listed_with_what_it_holds_and_dropped_ones_with_what_is_left(
    operator: Client, acme: Tenant
) -> None:
    with tenant_scope(acme.pk):
        archive(_stream(), 7)
        hashes = [bytes(segment.hashes).hex() for segment in Segment.objects.order_by("first_version")]
    age(acme, 31, 20)
    keep(acme, 30)
    assert jobs.drop_expired_segments() == 2
    page = operator.get("/runs/run/archive/").content.decode()
    for text in ("1–10", "11–20", "21–30", "31–40"):
        assert text in page
    assert page.count('<span class="trouble">dropped</span>') == 2
    assert page.count('<bdi class="mono">tool.call</bdi> 2') == 4
    for each in hashes:
        assert each[:64] in page
        assert each[-64:] in page


@pytest.mark.usefixtures("_run")
def test_a_damaged_segment_is_a_page_that_says_so_and_leads_to_the_findings(
    operator: Client, acme: Tenant, caplog: pytest.LogCaptureFixture
) -> None:
    with tenant_scope(acme.pk):
        archive(_stream(), 7)
    with tampering(acme) as owner:
        owner.execute("UPDATE memory_segment SET content = 'x' WHERE first_version = 11")
    response = operator.get("/runs/run/?at=12")
    page = response.content.decode()
    assert response.status_code == 500
    assert "Part of the record is damaged" in page
    assert 'href="/integrity/"' in page
    assert "What is recorded in tenant acme is damaged" in caplog.text
