"""Segments: the older events of a stream, moved out of the table of events, compressed, and still part of the record.

Written by the privileged functions of `memory/sql/segments.sql` alone.
"""

from collections.abc import Collection
from datetime import datetime

from django.db import models
from django.db.models.expressions import RawSQL

from memory.models.stream import Stream
from memory.models.tenant import Tenant


class SegmentQuerySet(models.QuerySet["Segment"]):
    """Segments of a stream, or of all streams in the order of the cursor."""

    def of_stream(self, stream: Stream) -> "SegmentQuerySet":
        """The stream's segments, the oldest first."""
        return self.filter(stream=stream).order_by("first_version")

    def overlapping(self, first: int, last: int) -> "SegmentQuerySet":
        """Those that hold any version from `first` to `last`."""
        return self.filter(first_version__lte=last, last_version__gte=first)

    def kept(self) -> "SegmentQuerySet":
        """Those whose content is there."""
        return self.filter(dropped_at=None)

    def dropped(self) -> "SegmentQuerySet":
        """Those whose content retention has dropped."""
        return self.filter(dropped_at__isnull=False)

    def holding(self, types: Collection[str]) -> "SegmentQuerySet":
        """Those with an event of one of these types."""
        return self.filter(type_counts__has_any_keys=list(types))

    def recorded_since(self, moment: datetime) -> "SegmentQuerySet":
        """Those with an event recorded at or after this moment."""
        return self.filter(last_at__gte=moment)

    def reaching(self, after: tuple[int, int], end: tuple[int, int]) -> "SegmentQuerySet":
        """Those that may hold an event behind the place `after` and up to `end`, in the order of their first places."""
        # SQL: a comparison of rows, which walks the index.
        reaching = RawSQL(
            "(last_transaction_id, last_position) > (%s, %s) AND (first_transaction_id, first_position) <= (%s, %s)",
            [*after, *end],
            output_field=models.BooleanField(),
        )
        return self.filter(reaching).order_by("first_transaction_id", "first_position")


class Segment(models.Model):
    """The events `first_version` to `last_version` of a stream.

    `content` is what `memory.events.segments` packs; null once retention has dropped it. `hashes` are the events'
    hashes, 32 bytes each, and stay, as do the counts by type, the letters of the flight strip (upper case: an error)
    and the times, which are the server's. First and last place are the smallest and the largest one in the order of the
    cursor. `raw_bytes` is the size before compression, `stored_bytes` that of the content.
    """

    tenant = models.ForeignKey(Tenant, models.CASCADE, db_index=False)
    stream = models.ForeignKey(Stream, models.CASCADE, db_constraint=False, db_index=False)
    first_version = models.BigIntegerField()
    last_version = models.BigIntegerField()
    previous_hash = models.BinaryField(max_length=32)
    hashes = models.BinaryField()
    content = models.BinaryField(null=True)
    raw_bytes = models.BigIntegerField()
    stored_bytes = models.BigIntegerField()
    type_counts = models.JSONField()
    letters = models.TextField()
    first_at = models.DateTimeField()
    last_at = models.DateTimeField()
    first_transaction_id = models.BigIntegerField()
    first_position = models.BigIntegerField()
    last_transaction_id = models.BigIntegerField()
    last_position = models.BigIntegerField()
    created_at = models.DateTimeField()
    dropped_at = models.DateTimeField(null=True)

    objects = SegmentQuerySet.as_manager()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["tenant", "stream", "first_version"], name="segment_once")]
        indexes = [
            models.Index(fields=["tenant", "last_transaction_id", "last_position"], name="segment_cursor"),
            models.Index(fields=["tenant", "last_at"], condition=models.Q(dropped_at=None), name="segment_due"),
        ]


class ArchivedId(models.Model):
    """Where an archived event's id may be: a segment that holds an id with this hash. Opening it tells.

    `id_hash` is the first 8 bytes of the id's SHA-256, as a signed number.
    """

    pk = models.CompositePrimaryKey("tenant_id", "id_hash", "segment_id")
    tenant = models.ForeignKey(Tenant, models.CASCADE, db_constraint=False, db_index=False)
    id_hash = models.BigIntegerField()
    segment = models.ForeignKey(Segment, models.CASCADE, db_constraint=False, db_index=False)
