"""Verifications: what the last look at a stream's record found, one row a stream."""

from collections.abc import Iterable

from django.db import models

from memory.models.stream import Stream
from memory.models.tenant import Tenant


class VerificationQuerySet(models.QuerySet["Verification"]):
    """Verifications of one stream, or of those in a list."""

    def of(self, stream: Stream) -> "Verification | None":
        """The stream's; None where nobody has looked yet."""
        return self.filter(stream=stream).first()

    def faults_of(self, streams: Iterable[Stream]) -> dict[int, int]:
        """How many faults each of these streams has, by its row; those without are left out."""
        faulty = self.filter(stream__in=[stream.pk for stream in streams], faults__gt=0)
        return dict(faulty.values_list("stream_id", "faults"))

    def faults_in(self, stream: Stream | None) -> int:
        """How many faults a stream has, or all of them together."""
        counted = self.filter(stream=stream) if stream else self.all()
        total: int = counted.aggregate(total=models.Sum("faults", default=0))["total"]
        return total


class Verification(models.Model):
    """The stream as it was at `verified_at`: at `version`, with so many `faults`.

    `clean_version` and `clean_hash` (32 bytes) tell where it was last found in order: 0 and nothing if never. The next
    look begins with whether that is still so, which shows a history that was written anew, hashes and all.
    """

    tenant = models.ForeignKey(Tenant, models.CASCADE, db_constraint=False, db_index=False)
    stream = models.ForeignKey(Stream, models.CASCADE, db_constraint=False, db_index=False)
    verified_at = models.DateTimeField()
    version = models.BigIntegerField()
    faults = models.BigIntegerField()
    clean_version = models.BigIntegerField(default=0)
    clean_hash = models.BinaryField(max_length=32, default=b"")

    objects = VerificationQuerySet.as_manager()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["tenant", "stream"], name="verification_once")]
