"""What tenants and keys may take in a minute, counted across all processes. Needs no tenant's scope, and must not be
asked within one: what it locks for a moment would stay locked until that transaction ends.

A process takes a hundredth of a minute's allowance at a time from PostgreSQL and spends it from memory, so that most
requests ask nobody. No more than the limit is ever taken; what a process has not spent by the end of a minute is lost
for that minute, at most a hundredth of the limit. A changed limit holds from the next piece on, or the next minute.
"""

import math
import time
from dataclasses import dataclass
from threading import Lock

from memory import conf, sql
from memory.errors import LimitReached, TooLarge
from memory.models import Allowance, ApiKey, Tenant, TenantSetting
from memory.tenancy import tenant_scope
from memory.vocabulary import Measure

SETTINGS = {Measure.REQUESTS: "ARES_REQUESTS_A_MINUTE", Measure.EVENTS: "ARES_EVENTS_A_MINUTE"}
# Of one that only bounds a key, no tenant has a setting.
NO_SETTING = ""
# Where a tenant's storage is full: it is measured again so often.
MEASURED_SECONDS = 600
MEBIBYTE = 2**20
# What a process may spend in a minute where there is no limit.
UNLIMITED = 2**62


@dataclass(slots=True)
class _Piece:
    """What is left of what was taken; until `ends` (monotonic seconds). `allowed` is the limit, 0 for none."""

    left: int
    allowed: int
    ends: float
    most_bytes: int
    is_full: bool


_pieces: dict[tuple[int, int, Measure], _Piece] = {}
_lock = Lock()


def admit(key: ApiKey, body_bytes: int) -> None:
    """Let one request of a key in.

    Raises:
        LimitReached: the tenant or the key has made as many as it may in this minute.
        TooLarge: the tenant may not send that much at once.
    """
    most_bytes = _spend(key, Measure.REQUESTS, 1).most_bytes
    if body_bytes > most_bytes:
        raise TooLarge(f"The body has {body_bytes} bytes; at most {most_bytes} are taken.", limit=most_bytes)


def take_events(key: ApiKey, events: int) -> None:
    """Let a key record so many events.

    Raises:
        LimitReached: the tenant or the key has recorded as many as it may in this minute, or the tenant's storage is
            full.
    """
    if _spend(key, Measure.EVENTS, events).is_full:
        raise LimitReached(
            "The tenant's storage is full: nothing more is recorded.", MEASURED_SECONDS, measure="storage"
        )


def forget() -> None:
    """Keep nothing any more of what was taken."""
    with _lock:
        _pieces.clear()


def _spend(key: ApiKey, measure: Measure, wanted: int) -> _Piece:
    own = key.most_a_minute(measure)
    if own is not None:
        _take(key.tenant_id, key.pk, measure, wanted, NO_SETTING, own)
    return _take(key.tenant_id, 0, measure, wanted, SETTINGS[measure], conf.value(SETTINGS[measure]))


def _take(tenant_id: int, key_id: int, measure: Measure, wanted: int, setting: str, most: int) -> _Piece:
    place = (tenant_id, key_id, measure)
    with _lock:
        piece = _pieces.get(place)
        if piece and time.monotonic() < piece.ends and piece.left >= wanted:
            piece.left -= wanted
            return piece
    values = {
        "tenant": tenant_id,
        "key": key_id,
        "measure": measure,
        "wanted": wanted,
        "setting": setting,
        "most": most,
    }
    [(granted, allowed, seconds)] = sql.run("take", values)
    if not allowed:
        granted = UNLIMITED
    if granted < wanted:
        raise _refusal(measure, wanted, allowed, seconds, of_key=bool(key_id))
    most_bytes, is_full = _of_tenant(tenant_id)
    with _lock:
        before = _pieces.get(place)
        left = before.left if before and time.monotonic() < before.ends else 0
        made = _Piece(left + granted - wanted, allowed, time.monotonic() + seconds, most_bytes, is_full)
        _pieces[place] = made
    return made


def _refusal(measure: Measure, wanted: int, allowed: int, seconds: float, *, of_key: bool) -> LimitReached:
    whose = "key" if of_key else "tenant"
    detail = f"This {whose} may take {allowed:,} {measure} a minute, and there are not {wanted:,} left in this one."
    return LimitReached(detail, max(1, math.ceil(seconds)), measure=str(measure), limit=allowed, of=whose)


def _of_tenant(tenant_id: int) -> tuple[int, bool]:
    """How many bytes a request of the tenant may have, and whether its storage is full."""
    with tenant_scope(tenant_id):
        names = ("ARES_MAX_BODY_BYTES", "ARES_MAX_STORAGE_MB")
        own = dict(TenantSetting.objects.filter(name__in=names).values_list("name", "value"))
        stored = Tenant.objects.values_list("stored_bytes", flat=True).get(pk=tenant_id)
    most_bytes, most_stored = (int(own.get(name, conf.value(name))) for name in names)
    return most_bytes, bool(most_stored) and stored >= most_stored * MEBIBYTE


def used(minute_begins: float) -> dict[tuple[int, Measure], int]:
    """What was taken in the minute that began then (seconds since 1970), by key (0: the tenant) and measure. Needs a
    tenant's scope."""
    rows = Allowance.objects.all()
    return {(row.key_id, Measure(row.measure)): row.used for row in rows if row.minute.timestamp() >= minute_begins}
