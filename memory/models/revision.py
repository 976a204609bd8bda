"""Revisions: every change of an experience, with who or what made it."""

from django.db import models

from memory.models.experience import Experience
from memory.models.tenant import Tenant


class Revision(models.Model):
    """The change that made an experience's revision `number`: its fields before (null for the first) and after.

    `actor` is who made it: `distillation:dist_…`, `user:<address>`, `key:<name>` or `schedule:<job>`.
    """

    tenant = models.ForeignKey(Tenant, models.CASCADE, db_index=False)
    experience = models.ForeignKey(
        Experience, models.CASCADE, db_constraint=False, db_index=False, related_name="revisions"
    )
    number = models.IntegerField()
    change = models.CharField(max_length=20)
    actor = models.CharField(max_length=250)
    reason = models.TextField(blank=True)
    before = models.JSONField(null=True)
    after = models.JSONField()
    created_at = models.DateTimeField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["tenant", "experience", "number"], name="revision_once")]
