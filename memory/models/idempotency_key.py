"""Idempotency keys: the answer to a request, kept so that its repetition gets the same answer and writes nothing."""

from django.db import models

from memory.models.tenant import Tenant


class IdempotencyKey(models.Model):
    """One answered request. `request_digest` is SHA-256 over method, path and body."""

    tenant = models.ForeignKey(Tenant, models.CASCADE, db_index=False)
    key = models.CharField(max_length=200)
    request_digest = models.BinaryField(max_length=32)
    status = models.IntegerField(null=True)
    answer = models.TextField(blank=True)
    created_at = models.DateTimeField(auto_now_add=True, db_index=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["tenant", "key"], name="idempotency_key_once")]
