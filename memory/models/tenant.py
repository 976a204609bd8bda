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


class Tenant(models.Model):
    """A customer, team or installation whose data nobody else sees. The row itself holds no content.

    `retention_days`: archived events older than this lose their content; null keeps it for ever.
    """

    slug = models.SlugField(max_length=63, unique=True)
    name = models.CharField(max_length=200)
    created_at = models.DateTimeField(auto_now_add=True)
    retention_days = models.PositiveIntegerField(null=True)

    objects = TenantQuerySet.as_manager()

    def __str__(self) -> str:
        return self.name
