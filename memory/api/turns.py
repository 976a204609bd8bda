"""Turns: how many requests of one tenant a web process answers at a time, so that a tenant with many clients leaves
room for one with few. What is too much waits a moment; what is far too much is refused at once, and holds no thread."""

from collections.abc import Iterator
from contextlib import contextmanager
from threading import Condition

from memory import conf
from memory.errors import LimitReached

# A request that waits so long for its turn is refused.
LONGEST_WAIT = 10.0
# For each that is answered, so many may wait.
WAITING_FOR_EACH = 4
RETRY_AFTER = 1

_changed = Condition()
_running: dict[int, int] = {}
_waiting: dict[int, int] = {}


@contextmanager
def turn(tenant_id: int) -> Iterator[None]:
    """Answer a request of a tenant when it is the tenant's turn.

    Raises:
        LimitReached: too many of the tenant's wait already, or it took too long.
    """
    most = conf.value("ARES_REQUESTS_AT_ONCE")
    with _changed:
        if _running.get(tenant_id, 0) >= most:
            _wait(tenant_id, most)
        _running[tenant_id] = _running.get(tenant_id, 0) + 1
    try:
        yield
    finally:
        with _changed:
            _less(_running, tenant_id)
            if tenant_id in _waiting:
                _changed.notify_all()


def _wait(tenant_id: int, most: int) -> None:
    if _waiting.get(tenant_id, 0) >= most * WAITING_FOR_EACH:
        raise _refusal(most)
    _waiting[tenant_id] = _waiting.get(tenant_id, 0) + 1
    try:
        if not _changed.wait_for(lambda: _running.get(tenant_id, 0) < most, LONGEST_WAIT):
            raise _refusal(most)
    finally:
        _less(_waiting, tenant_id)


def _less(counts: dict[int, int], tenant_id: int) -> None:
    counts[tenant_id] -= 1
    if not counts[tenant_id]:
        del counts[tenant_id]


def _refusal(most: int) -> LimitReached:
    detail = f"The tenant sends more at once than can be answered: {most} at a time in each web process."
    return LimitReached(detail, RETRY_AFTER, measure="requests at once", limit=most, of="tenant")
