"""The audit log: who did what to what, when and from where. Appended to, never changed, chained by hashes."""

from datetime import datetime

from django.db import models
from django.db.models import Q

from memory.models.tenant import Tenant


class AuditEntryQuerySet(models.QuerySet["AuditEntry"]):
    """Entries are looked through by people."""

    def matching(
        self, text: str = "", action: str = "", since: datetime | None = None, until: datetime | None = None
    ) -> "AuditEntryQuerySet":
        """Those that every given filter lets through, the newest first; `text` stands in actor, action, subject,
        address or detail, whatever the letter case."""
        if "\x00" in text or "\x00" in action:
            return self.none()  # PostgreSQL holds no text with a NUL, and refuses to look for one
        found = self.order_by("-number")
        if action:
            found = found.filter(action=action)
        if since:
            found = found.filter(at__gte=since)
        if until:
            found = found.filter(at__lt=until)
        if text:
            anywhere = Q()
            for name in ("actor", "action", "subject", "address", "detail"):
                anywhere |= Q(**{f"{name}__icontains": text})
            found = found.filter(anywhere)
        return found


class AuditEntry(models.Model):
    """One thing that was done. PostgreSQL sets `number` (1, 2, 3 … in the tenant), `at` and the hashes (32 bytes each).

    `actor` is `user:<address>`, `key:<name>`, `command:<name>` or `schedule:<job>`; `detail` is a JSON object without
    any recorded content; `address` is where the request came from.
    """

    tenant = models.ForeignKey(Tenant, models.CASCADE, db_index=False)
    number = models.BigIntegerField()
    at = models.DateTimeField()
    actor = models.CharField(max_length=300)
    action = models.CharField(max_length=100)
    subject = models.CharField(max_length=300, blank=True)
    detail = models.TextField(default="{}")
    address = models.CharField(max_length=64, blank=True)
    previous_hash = models.BinaryField(max_length=32)
    hash = models.BinaryField(max_length=32)

    objects = AuditEntryQuerySet.as_manager()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["tenant", "number"], name="audit_entry_once")]
        indexes = [models.Index(fields=["tenant", "at"], name="audit_entry_in_time")]
