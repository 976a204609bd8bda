"""Findings: what is wrong with a stream's record, as its last verification told."""

from django.db import models

from memory.models.stream import Stream
from memory.models.tenant import Tenant


class FindingQuerySet(models.QuerySet["Finding"]):
    """Findings of a stream, or of all."""

    def in_stream(self, stream: Stream) -> "FindingQuerySet":
        """The stream's, in the order of its versions."""
        return self.filter(stream=stream).order_by("version", "pk")

    def newest_first(self) -> "FindingQuerySet":
        """The streams that were looked at last first, and each one's in the order of its versions."""
        return self.select_related("stream").order_by("-found_at", "stream_id", "version", "pk")


class Finding(models.Model):
    """One fault at a version of a stream; `fault` is a `memory.events.walk.Fault`. Replaced at each verification."""

    tenant = models.ForeignKey(Tenant, models.CASCADE, db_constraint=False, db_index=False)
    stream = models.ForeignKey(Stream, models.CASCADE, db_constraint=False, db_index=False)
    version = models.BigIntegerField()
    fault = models.CharField(max_length=40)
    detail = models.CharField(max_length=200)
    found_at = models.DateTimeField()

    objects = FindingQuerySet.as_manager()

    class Meta:
        indexes = [models.Index(fields=["tenant", "stream", "version"], name="finding_of_stream")]
