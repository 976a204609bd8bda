"""Settings that a tenant has set for itself."""

from django.db import models

from memory.models.tenant import Tenant


class TenantSetting(models.Model):
    """A tenant's own value of one of the settings of `memory.conf`, as text."""

    tenant = models.ForeignKey(Tenant, models.CASCADE, db_index=False)
    name = models.CharField(max_length=100)
    value = models.CharField(max_length=500)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["tenant", "name"], name="tenant_setting_once")]
