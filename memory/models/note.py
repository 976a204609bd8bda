"""Notes: what people wrote to a step of a run, with tags to find it by."""

from typing import ClassVar

from django.conf import settings
from django.contrib.postgres.fields import ArrayField
from django.contrib.postgres.indexes import GinIndex
from django.db import models

from memory.models.stream import Stream
from memory.models.tenant import Tenant

NOTE_LENGTH = 4000
TAG_LENGTH = 40
MOST_TAGS = 10


class Note(models.Model):
    """One note to the event of this version. Its author may have left the tenant since."""

    tenant = models.ForeignKey(Tenant, models.CASCADE, db_index=False)
    stream = models.ForeignKey(Stream, models.CASCADE, db_constraint=False, db_index=False)
    version = models.BigIntegerField()
    text = models.CharField(max_length=NOTE_LENGTH, blank=True)
    tags = ArrayField(models.CharField(max_length=TAG_LENGTH), default=list)
    author = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True)
    created_at = models.DateTimeField()

    class Meta:
        ordering: ClassVar = ["version", "pk"]
        indexes: ClassVar = [
            models.Index(fields=["tenant", "stream", "version"], name="note_of_step"),
            GinIndex(fields=["tags"], name="note_tags"),
        ]
