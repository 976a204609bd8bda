"""Tools: what agents can call, described so that the fitting one is found."""

from django.db import models
from django.db.models import Q

from memory.errors import NotFound
from memory.models.tenant import Tenant
from memory.vocabulary import IDENTIFIER_MAX_LENGTH, WorkStatus, is_identifier


class ToolQuerySet(models.QuerySet["Tool"]):
    """Tools by id, by what they say and by how far they are embedded."""

    def with_id(self, tool_id: str) -> "Tool":
        """The tool with this id.

        Raises:
            NotFound: there is none in the tenant's scope.
        """
        found = self.filter(pk=tool_id).first() if is_identifier(tool_id) else None
        if found is None:
            raise NotFound(f"There is no tool {tool_id[:IDENTIFIER_MAX_LENGTH]!r}.")
        return found

    def matching(self, embedding_status: str, q: str) -> "ToolQuerySet":
        """Those of this status with this text in name or description; an empty filter lets all through."""
        found = self.filter(embedding_status=embedding_status) if embedding_status else self
        return found.filter(Q(name__icontains=q) | Q(description__icontains=q)) if q else found


class Tool(models.Model):
    """One tool, by its name in the tenant. `schema` is the JSON schema of its arguments, or null."""

    id = models.CharField(primary_key=True, max_length=40)
    tenant = models.ForeignKey(Tenant, models.CASCADE, db_index=False)
    name = models.CharField(max_length=200)
    description = models.TextField()
    schema = models.JSONField(null=True)
    embedding_status = models.CharField(max_length=20, default=WorkStatus.PENDING)
    created_at = models.DateTimeField()
    updated_at = models.DateTimeField()

    objects = ToolQuerySet.as_manager()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["tenant", "name"], name="tool_once")]
        indexes = [models.Index("tenant", models.F("created_at").desc(), models.F("id").desc(), name="tool_recent")]

    def __str__(self) -> str:
        return self.id
