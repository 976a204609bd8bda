"""Sources: the messages and events that an experience came from."""

from django.db import models

from memory.models.experience import Experience
from memory.models.tenant import Tenant


class Source(models.Model):
    """One message that an experience rests on, by its event. The session may be gone; its stream stays."""

    tenant = models.ForeignKey(Tenant, models.CASCADE, db_index=False)
    experience = models.ForeignKey(
        Experience, models.CASCADE, db_constraint=False, db_index=False, related_name="sources"
    )
    distillation_id = models.CharField(max_length=40, blank=True)
    stream_name = models.CharField(max_length=200)
    event_version = models.BigIntegerField()
    message_id = models.CharField(max_length=200)
    created_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["tenant", "experience", "stream_name", "event_version"], name="source_once"
            ),
        ]
        indexes = [models.Index(fields=["tenant", "stream_name", "event_version"], name="source_of_event")]
