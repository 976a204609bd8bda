"""Recollections: which events of which streams repeat an experience, so that they can be found when it is erased."""

from django.db import models

from memory.models.stream import Stream
from memory.models.tenant import Tenant


class Recollection(models.Model):
    """The event `version` of a stream, hot or archived, tells an agent's recall of this experience. It outlives the
    experience: what is evicted is deleted, and may have to be erased later."""

    pk = models.CompositePrimaryKey("tenant_id", "experience_id", "stream_id", "version")
    tenant = models.ForeignKey(Tenant, models.CASCADE, db_constraint=False, db_index=False)
    experience_id = models.CharField(max_length=40)
    stream = models.ForeignKey(Stream, models.CASCADE, db_constraint=False, db_index=False)
    version = models.BigIntegerField()

    class Meta:
        indexes = [models.Index(fields=["tenant", "stream"], name="recollection_of_stream")]
