"""Snapshots: a stream's state at a version, so that a replay need not begin at the first event."""

from django.db import models

from memory.models.finding import Finding
from memory.models.stream import Stream
from memory.models.tenant import Tenant


class SnapshotQuerySet(models.QuerySet["Snapshot"]):
    """Snapshots of one stream by one reducer."""

    def newest_up_to(self, stream: Stream, version: int, reducer_version: int, fault: str) -> "Snapshot | None":
        """The newest one at or before a version, but for those in which a verification has found this fault."""
        faulty = Finding.objects.filter(stream=stream, fault=fault).values("version")
        found = self.filter(stream=stream, reducer_version=reducer_version, version__lte=version)
        return found.exclude(version__in=faulty).order_by("-version").first()


class Snapshot(models.Model):
    """The state after event `version` as the reducer of `reducer_version` makes it. Can be thrown away."""

    tenant = models.ForeignKey(Tenant, models.CASCADE, db_constraint=False, db_index=False)
    stream = models.ForeignKey(Stream, models.CASCADE, db_constraint=False, db_index=False)
    version = models.BigIntegerField()
    reducer_version = models.IntegerField()
    stream_hash = models.BinaryField(max_length=32)
    state = models.JSONField()
    created_at = models.DateTimeField(auto_now_add=True)

    objects = SnapshotQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["tenant", "stream", "reducer_version", "version"], name="snapshot_once")
        ]
