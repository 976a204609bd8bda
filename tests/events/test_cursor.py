"""The cursor over all streams: nothing is skipped and nothing comes twice, whoever writes meanwhile."""

import random
import time
from itertools import pairwise
from threading import Event as Signal

import pytest
from django.db import transaction

from memory.errors import Invalid
from memory.events import store
from memory.events.cursor import MOST, Cursor, read_all
from memory.models import Event, Tenant
from memory.tenancy import tenant_scope
from tests.events.making import drafted
from tests.horizon import PATIENCE, wait_for_the_feed
from tests.threads import threads


def test_a_cursor_reads_back_from_its_text() -> None:
    for cursor in (Cursor(), Cursor(7, 9), Cursor(MOST, MOST)):
        assert Cursor.parse(str(cursor)) == cursor
    assert Cursor.parse("") == Cursor()


@pytest.mark.parametrize(
    "text",
    ["1", "1-", "-1", "1-2-3", "a-b", "1 - 2", "٣-٣", "1-2\n", f"{MOST + 1}-0", f"0-{10**19}", "\0", "x" * 10**6],
)
def test_anything_else_is_no_cursor(text: str) -> None:
    with pytest.raises(Invalid, match="is not a cursor") as caught:
        Cursor.parse(text)
    assert len(caught.value.detail) < 200


class Reader:
    """Follows all streams, a few events at a time."""

    def __init__(self, tenant: Tenant) -> None:
        self.tenant = tenant
        self.place = Cursor()
        self.seen: list[Event] = []

    def read(self, patience: float = PATIENCE) -> list[str]:
        """The ids of what is new; without patience, of what can be seen at once."""
        wait_for_the_feed(self.tenant, patience)
        found: list[str] = []
        while True:
            with tenant_scope(self.tenant.pk):
                page = read_all(self.place, 3)
            if not page:
                return found
            self.place = Cursor.behind(page[-1])
            self.seen += page
            found += [event.event_id for event in page]

    @property
    def seen_ids(self) -> list[str]:
        return [event.event_id for event in self.seen]


def append(tenant: Tenant, stream: str, *ids: str) -> None:
    with tenant_scope(tenant.pk):
        store.append(stream, [drafted(event_id=name) for name in ids])


@pytest.fixture
def reader(acme: Tenant) -> Reader:
    return Reader(acme)


@pytest.mark.django_db(transaction=True)
def test_a_reader_gets_everything_in_the_order_of_the_commits(acme: Tenant, reader: Reader) -> None:
    append(acme, "one", "a", "b")
    append(acme, "two", "c")
    append(acme, "one", "d", "e", "f", "g")
    assert reader.read() == ["a", "b", "c", "d", "e", "f", "g"]
    assert reader.read() == []
    append(acme, "two", "h")
    assert reader.read() == ["h"]
    assert [event.stream.name for event in reader.seen[:3]] == ["one", "one", "two"]


@pytest.mark.django_db(transaction=True)
def test_a_transaction_that_commits_late_is_neither_missed_nor_seen_twice(acme: Tenant, reader: Reader) -> None:
    written, may_commit = Signal(), Signal()

    def write_slowly() -> None:
        with tenant_scope(acme.pk):
            store.append("slow", [drafted(event_id="slow-1")])
            written.set()
            assert may_commit.wait(PATIENCE)
            store.append("slow", [drafted(event_id="slow-2")])

    append(acme, "fast", "before")
    with threads() as several:
        slow = several.start(write_slowly)
        assert written.wait(PATIENCE)
        for name in ("during-1", "during-2"):
            append(acme, "fast", name)  # drawn after `slow-1`, committed before it
            assert set(reader.read(patience=0)) <= {"before"}
        may_commit.set()
        slow.result()
    append(acme, "fast", "after")
    reader.read()
    assert reader.seen_ids == ["before", "slow-1", "slow-2", "during-1", "during-2", "after"]


@pytest.mark.django_db(transaction=True)
def test_a_position_drawn_early_by_a_transaction_that_began_late_is_not_missed(acme: Tenant, reader: Reader) -> None:
    """The order of positions is not that of transactions: here the smaller transaction id has the larger position."""
    has_id, drawn, done = Signal(), Signal(), Signal()

    def begin_first_write_last() -> None:
        with tenant_scope(acme.pk):
            store.append("first", [drafted(event_id="first-1")])
            has_id.set()
            assert drawn.wait(PATIENCE)
            store.append("first", [drafted(event_id="first-2")])

    def begin_last_commit_last() -> None:
        assert has_id.wait(PATIENCE)
        with tenant_scope(acme.pk):
            store.append("second", [drafted(event_id="second")])
            drawn.set()
            assert done.wait(PATIENCE)

    with threads() as several:
        first, second = several.start(begin_first_write_last), several.start(begin_last_commit_last)
        first.result()
        assert reader.read() == ["first-1", "first-2"]
        done.set()
        second.result()
    assert reader.read() == ["second"]
    assert [event.position for event in reader.seen] != sorted(event.position for event in reader.seen)


@pytest.mark.django_db(transaction=True)
def test_a_transaction_that_is_undone_is_never_seen(acme: Tenant, reader: Reader) -> None:
    with tenant_scope(acme.pk):
        store.append("run", [drafted(event_id="lost")])
        transaction.set_rollback(True)
    append(acme, "run", "kept")
    assert reader.read() == ["kept"]


@pytest.mark.django_db(transaction=True)
def test_events_written_in_parts_of_one_transaction_are_all_seen(acme: Tenant, reader: Reader) -> None:
    with tenant_scope(acme.pk):
        store.append("run", [drafted(event_id="a")])
        with transaction.atomic():  # a savepoint, which has a transaction id of its own inside
            store.append("run", [drafted(event_id="b")])
        store.append("run", [drafted(event_id="c")])
    assert reader.read() == ["a", "b", "c"]
    assert len({event.transaction_id for event in reader.seen}) == 1


@pytest.mark.django_db(transaction=True)
def test_another_tenants_events_are_not_seen_and_take_no_place(acme: Tenant, globex: Tenant, reader: Reader) -> None:
    append(globex, "run", "theirs-1")
    append(acme, "run", "ours")
    append(globex, "run", "theirs-2")
    assert reader.read() == ["ours"]


@pytest.mark.django_db(transaction=True)
def test_while_several_write_a_reader_sees_each_event_once_in_a_growing_order(acme: Tenant, reader: Reader) -> None:
    chance = random.Random(7)
    naps = [[chance.uniform(0, 0.02) for _ in range(8)] for _ in range(4)]

    def write(writer: int) -> None:
        for n, nap in enumerate(naps[writer]):
            with tenant_scope(acme.pk):
                store.append(f"w{writer}", [drafted(event_id=f"w{writer}-{n}-a")])
                time.sleep(nap)
                store.append(f"w{writer}", [drafted(event_id=f"w{writer}-{n}-b")])

    with threads() as several:
        writing = [several.start(lambda writer=writer: write(writer)) for writer in range(4)]
        while not all(future.done() for future in writing):
            reader.read(patience=0)
        for future in writing:
            future.result()
    reader.read()
    assert sorted(reader.seen_ids) == sorted(
        f"w{writer}-{n}-{part}" for writer in range(4) for n in range(8) for part in "ab"
    )
    places = [(event.transaction_id, event.position) for event in reader.seen]
    assert all(before < after for before, after in pairwise(places))
