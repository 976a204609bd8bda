"""The audit log of a tenant: writing it, and verifying that it is as it was written. Needs a tenant's scope.

PostgreSQL numbers, dates and chains the entries (`sql/audit.sql`). Write the entry last in a transaction: from there on
until its end, others who write one wait.
"""

import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

import orjson
from django.conf import settings

from memory import audit_chain, limits, sql
from memory.audit_chain import Fault
from memory.models import AuditEntry, Tenant
from memory.tenancy import current_tenant_id, tenant_scope

DROPPED = "audit.dropped"
ACTOR_LENGTH, SUBJECT_LENGTH, ADDRESS_LENGTH = 300, 300, 64
# Entries read at once.
CHUNK = 2000


def record(actor: str, action: str, subject: str = "", address: str = "", **detail: Any) -> None:
    """Keep that `actor` did `action` to `subject`.

    Args:
        detail: what else there is to know, as JSON; nothing of what is recorded or remembered, and no secret.
    """
    AuditEntry.objects.bulk_create(
        [
            AuditEntry(
                tenant_id=current_tenant_id(),
                actor=_text(actor, ACTOR_LENGTH),
                action=action,
                subject=_text(subject, SUBJECT_LENGTH),
                detail=_text(json.dumps(detail, ensure_ascii=False, sort_keys=True, default=str)),
                address=_text(address, ADDRESS_LENGTH),
                number=0,
                at=datetime.now(UTC),
                previous_hash=b"",
                hash=b"",
            )
        ]
    )


def address_of(meta: Mapping[str, Any]) -> str:
    """Where a request comes from: behind the proxy that ARES_HTTPS stands for, what that proxy says."""
    if settings.HTTPS:
        passed_on = str(meta.get("HTTP_X_FORWARDED_FOR", "")).rpartition(",")[2].strip()
        if passed_on:
            return passed_on[:ADDRESS_LENGTH]
    return str(meta.get("REMOTE_ADDR", ""))[:ADDRESS_LENGTH]


def digest_of(name: str) -> str:
    """What stands in the log for a name that was erased: who knows the name can prove that it was meant."""
    return f"sha256:{hashlib.sha256(name.encode(errors='surrogatepass')).hexdigest()}"


@dataclass(frozen=True, slots=True)
class Verified:
    """How many entries were verified, and what is wrong with them."""

    entries: int
    faults: list[Fault]


def verify() -> Verified:
    """Whether the whole log is as it was written."""
    tenant = Tenant.objects.get(pk=current_tenant_id())  # before the entries: more may come meanwhile
    anchor = _anchor()
    walk = audit_chain.Walk(current_tenant_id(), anchor)
    upto = AuditEntry.objects.filter(number__lte=tenant.audit_number)
    for entry in upto.order_by("number").iterator(chunk_size=CHUNK):
        walk.follow(entry)
    walk.arrive(tenant.audit_number, tenant.audit_hash)
    return Verified(walk.entries, walk.faults)


def drop_old() -> int:
    """Drop entries that are older than ARES_AUDIT_DAYS, and record where the log begins now; returns how many."""
    days = limits.value("ARES_AUDIT_DAYS")
    if not days:
        return 0
    found = sql.run("drop_audit", {"before": datetime.now(UTC) - timedelta(days=days)})
    if not found:
        return 0
    [(dropped, number, last_hash)] = found
    record("schedule:drop_old_audit", DROPPED, entries=dropped, through=number, hash=bytes(last_hash).hex())
    return int(dropped)


def count_old(days: int) -> int:
    """How many entries a retention of so many days would drop now."""
    return AuditEntry.objects.filter(at__lt=datetime.now(UTC) - timedelta(days=days)).count() if days else 0


def lines(tenant_id: int) -> Iterator[bytes]:
    """The log as JSON Lines, the first entry first, with its hashes. Opens the tenant's scope for each chunk."""
    behind = 0
    while True:
        with tenant_scope(tenant_id):
            entries = list(AuditEntry.objects.filter(number__gt=behind).order_by("number")[:CHUNK])
        if not entries:
            return
        yield b"".join(orjson.dumps(as_json(entry)) + b"\n" for entry in entries)
        behind = entries[-1].number


def as_json(entry: AuditEntry) -> dict[str, Any]:
    """An entry with all that its hash covers."""
    return {
        "number": entry.number,
        "at": audit_chain.timestamp(entry.at),
        "actor": entry.actor,
        "action": entry.action,
        "subject": entry.subject,
        "detail": entry.detail,
        "address": entry.address,
        "previous_hash": bytes(entry.previous_hash).hex(),
        "hash": bytes(entry.hash).hex(),
    }


def _anchor() -> tuple[int, bytes] | None:
    """Number and hash of the last entry that retention dropped, as the log itself tells; None where none was."""
    told = AuditEntry.objects.filter(action=DROPPED).order_by("-number").values_list("detail", flat=True).first()
    if told is None:
        return None
    detail = json.loads(told)
    return int(detail["through"]), bytes.fromhex(detail["hash"])


def _text(text: str, length: int | None = None) -> str:
    """What PostgreSQL can hold: names come from clients."""
    return text.replace("\x00", "").encode(errors="replace").decode()[:length]
