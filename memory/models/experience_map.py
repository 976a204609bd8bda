"""The map of a tenant's experiences: where each stands in the plane, as the worker drew it last."""

from django.db import models

from memory.models.tenant import Tenant


class ExperienceMap(models.Model):
    """One map a tenant. `points` is a list of [experience id, x, y, cluster]; `drawn_from` tells of which state of
    memory, so that one can see whether it still holds."""

    tenant = models.ForeignKey(Tenant, models.CASCADE, db_index=False)
    points = models.JSONField(default=list)
    drawn_from = models.CharField(max_length=400)
    drawn_at = models.DateTimeField()
    seconds = models.FloatField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["tenant"], name="experience_map_once")]
