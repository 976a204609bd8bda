"""Saved views: a list with its filters, under a name, for the one who saved it."""

from typing import ClassVar

from django.conf import settings
from django.db import models

from memory.models.tenant import Tenant

VIEW_NAME_LENGTH = 60
VIEW_QUERY_LENGTH = 1000
MOST_VIEWS = 50


class SavedView(models.Model):
    """One view: `query` is what stands behind the question mark of the list's address."""

    tenant = models.ForeignKey(Tenant, models.CASCADE, db_index=False)
    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE)
    name = models.CharField(max_length=VIEW_NAME_LENGTH)
    query = models.CharField(max_length=VIEW_QUERY_LENGTH, blank=True)
    created_at = models.DateTimeField()

    class Meta:
        ordering: ClassVar = ["name"]
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["tenant", "user", "name"], name="saved_view_once"),
        ]
