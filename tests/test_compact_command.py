"""`manage.py compact_streams`: what it moves, what it prints, and what it refuses."""

import re
from collections.abc import Iterator
from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from memory.models import Segment, Tenant
from memory.tenancy import tenant_scope
from tests import raw
from tests.events.archiving import recorded, small_segments

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def _streams(acme: Tenant, globex: Tenant) -> Iterator[None]:
    """A long and a short stream of each tenant."""
    with small_segments():
        for tenant in (acme, globex):
            with tenant_scope(tenant.pk):
                recorded(45, "long", "l")
                recorded(15, "short", "s")
        yield


def compact(*arguments: str) -> str:
    out = StringIO()
    call_command("compact_streams", *arguments, stdout=out, stderr=StringIO())
    return " ".join(re.findall(r"[\w,]+", out.getvalue()))


def archived(tenant: Tenant) -> list[tuple[str, int]]:
    with tenant_scope(tenant.pk):
        found = Segment.objects.order_by("stream__name", "first_version")
        return list(found.values_list("stream__name", "last_version"))


def test_it_compacts_the_long_streams_of_every_tenant_and_again_nothing(acme: Tenant, globex: Tenant) -> None:
    summary = compact()
    assert "events moved 40 segments made 4" in summary
    assert archived(acme) == archived(globex) == [("long", 10), ("long", 20)]
    assert "events moved 0 segments made 0" in compact()


def test_it_can_be_told_the_tenant_the_stream_and_how_much_to_keep(acme: Tenant, globex: Tenant) -> None:
    assert "events moved 12 segments made 2" in compact("--tenant", "acme", "--stream", "short", "--keep", "3")
    assert archived(acme) == [("short", 10), ("short", 12)]
    assert archived(globex) == []
    assert "events moved 48 segments made 6" in compact("--tenant", "acme", "--keep", "0")


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (("--stream", "long"), "--stream needs --tenant"),
        (("--tenant", "acme", "--keep", "-1"), "must not be negative"),
        (("--tenant", "nowhere"), "no tenant 'nowhere'"),
        (("--tenant", "acme", "--stream", "nothing"), "no stream 'nothing'"),
    ],
)
def test_it_says_what_is_wrong_with_what_it_was_told(arguments: tuple[str, ...], reason: str) -> None:
    with pytest.raises(CommandError, match=reason):
        compact(*arguments)


def test_it_fails_over_a_damaged_stream_after_it_has_compacted_the_others(acme: Tenant, globex: Tenant) -> None:
    with raw.owner() as owner:
        raw.enter(owner, acme.pk)
        owner.execute("ALTER TABLE memory_event DISABLE TRIGGER event_append_only")
        owner.execute("UPDATE memory_event SET metadata_json = '{\"x\":1}' WHERE event_id = 'l13'")
        owner.execute("ALTER TABLE memory_event ENABLE TRIGGER event_append_only")
        owner.commit()
    out = StringIO()
    with pytest.raises(CommandError, match="1 streams are damaged; from there on nothing of them was moved"):
        call_command("compact_streams", stdout=out, stderr=StringIO())
    assert (archived(acme), archived(globex)) == ([("long", 10)], [("long", 10), ("long", 20)])
    assert re.search(r"events moved\W+30\W", out.getvalue())
