"""The queue of work in the background that must not be lost: embedding and distillation."""

from django.db import models

from memory.models.tenant import Tenant
from memory.vocabulary import WorkStatus


class QueueItem(models.Model):
    """One piece of work. While it is `processing` it belongs to `lease_owner` until `leased_until`; `failed` is a dead
    letter, whose `error` says why. Work on the same subject has the same `dedupe_key` and stands there once."""

    tenant = models.ForeignKey(Tenant, models.CASCADE, db_index=False)
    queue = models.CharField(max_length=20)
    dedupe_key = models.CharField(max_length=200)
    subject_id = models.CharField(max_length=200)
    status = models.CharField(max_length=20, default=WorkStatus.PENDING)
    attempts = models.IntegerField(default=0)
    run_at = models.DateTimeField()
    leased_until = models.DateTimeField(null=True)
    lease_owner = models.CharField(max_length=100, blank=True)
    error = models.TextField(blank=True)
    created_at = models.DateTimeField()
    updated_at = models.DateTimeField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["tenant", "queue", "dedupe_key"], name="queue_item_once")]
        indexes = [models.Index(fields=["tenant", "queue", "status", "run_at"], name="queue_item_next")]
