"""Deletions: what somebody deleted is not learned again. Of what it said, only digests are kept."""

from django.db import models

from memory.models.tenant import Tenant


class Deletion(models.Model):
    """Something that an operator deleted had been learned from this stream, or from none that is known, where it is
    empty. `digest` (32 bytes) is over owner, kind and normalised text, by which it is known when it comes again.
    `actor` is who deleted it."""

    tenant = models.ForeignKey(Tenant, models.CASCADE, db_index=False)
    digest = models.BinaryField(max_length=32)
    stream_name = models.CharField(max_length=200, blank=True)
    user_id = models.CharField(max_length=200, blank=True)
    actor = models.CharField(max_length=250)
    created_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["tenant", "digest", "stream_name"], name="deletion_once"),
        ]
        indexes = [
            models.Index(fields=["tenant", "stream_name"], name="deletion_of_stream"),
            models.Index(fields=["tenant", "user_id"], condition=~models.Q(user_id=""), name="deletion_of_user"),
        ]
