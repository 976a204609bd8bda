"""Tenants: the unit of isolation."""

from django.db import models

from memory.errors import NotFound


class TenantQuerySet(models.QuerySet["Tenant"]):
    """Tenants are found by their slug."""

    def named(self, slug: str) -> "Tenant":
        """The tenant with this slug.

        Raises:
            NotFound: there is none.
        """
        tenant = self.filter(slug=slug).first()
        if tenant is None:
            raise NotFound(f"There is no tenant {slug!r}.")
        return tenant

    def working(self) -> "TenantQuerySet":
        """Those that are not suspended."""
        return self.filter(suspended_at=None)


class Tenant(models.Model):
    """A customer, team or installation whose data nobody else sees. The row itself holds no content.

    `retention_days`: archived events older than this lose their content; null keeps it for ever. While `suspended_at`
    is set, its admins may look and nothing else is done for it. `stored_bytes` is what its content took at
    `measured_at`. `audit_number` and `audit_hash` are those of the audit log's last entry; PostgreSQL sets them.
    """

    slug = models.SlugField(max_length=63, unique=True)
    name = models.CharField(max_length=200)
    created_at = models.DateTimeField(auto_now_add=True)
    retention_days = models.PositiveIntegerField(null=True)
    suspended_at = models.DateTimeField(null=True)
    stored_bytes = models.BigIntegerField(default=0)
    measured_at = models.DateTimeField(null=True)
    audit_number = models.BigIntegerField(default=0)
    audit_hash = models.BinaryField(max_length=32, null=True)

    objects = TenantQuerySet.as_manager()

    def __str__(self) -> str:
        return self.name
