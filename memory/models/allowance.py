"""Allowances: how much of what it may do in a minute a tenant, or one of its keys, has taken."""

from django.db import models

from memory.models.tenant import Tenant


class Allowance(models.Model):
    """What was taken of one measure in the minute that begins at `minute`; `key_id` is 0 for the tenant as a whole.

    Web processes take it in pieces (`memory.allowance`), so it is ahead of what was done by a piece for each process.
    The table is not logged by PostgreSQL: a crash empties it, and counting begins anew.
    """

    tenant = models.ForeignKey(Tenant, models.CASCADE, db_index=False)
    key_id = models.BigIntegerField(default=0)
    measure = models.CharField(max_length=20)
    minute = models.DateTimeField()
    used = models.BigIntegerField(default=0)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["tenant", "key_id", "measure"], name="allowance_once")]
