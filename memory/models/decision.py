"""Decisions: what a distillation did with each candidate, and with what it let go before, each with the reason."""

from django.db import models

from memory.models.distillation import Distillation
from memory.models.experience import Experience
from memory.models.tenant import Tenant


class Decision(models.Model):
    """One decision. `stage` says which stage took it; `candidate` is what it was about; `similarity` in [0, 1] is the
    calibrated one to the neighbour, whose text is kept as it was, beside what came out. `digest` (32 bytes) is the
    candidate's, by which it is known when it comes again."""

    tenant = models.ForeignKey(Tenant, models.CASCADE, db_index=False)
    distillation = models.ForeignKey(
        Distillation, models.CASCADE, db_constraint=False, db_index=False, related_name="decisions"
    )
    number = models.IntegerField()
    stage = models.CharField(max_length=20)
    action = models.CharField(max_length=20)
    rule = models.CharField(max_length=60)
    reason = models.TextField()
    similarity = models.FloatField(null=True)
    candidate = models.JSONField()
    digest = models.BinaryField(max_length=32, default=b"")
    neighbour_id = models.CharField(max_length=40, blank=True)
    neighbour_text = models.TextField(blank=True)
    result_text = models.TextField(blank=True)
    experience = models.ForeignKey(
        Experience, models.CASCADE, null=True, db_constraint=False, db_index=False, related_name="decisions"
    )
    created_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["tenant", "distillation", "number"], name="decision_once"),
        ]
        indexes = [
            models.Index(fields=["tenant", "experience"], name="decision_of_experience"),
            models.Index(fields=["tenant", "digest"], name="decision_of_candidate"),
        ]
