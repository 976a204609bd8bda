"""Knowledge: documents that agents may look things up in, cut into passages that can be searched."""

from django.db import models
from django.db.models import Q

from memory.errors import NotFound
from memory.models.tenant import Tenant
from memory.vocabulary import IDENTIFIER_MAX_LENGTH, WorkStatus, is_identifier


class KnowledgeQuerySet(models.QuerySet["Knowledge"]):
    """Documents by id, by what they say and by how far they are embedded."""

    def with_id(self, knowledge_id: str) -> "Knowledge":
        """The document with this id.

        Raises:
            NotFound: there is none in the tenant's scope.
        """
        found = self.filter(pk=knowledge_id).first() if is_identifier(knowledge_id) else None
        if found is None:
            raise NotFound(f"There is no document {knowledge_id[:IDENTIFIER_MAX_LENGTH]!r}.")
        return found

    def matching(self, embedding_status: str, q: str) -> "KnowledgeQuerySet":
        """Those of this status with this text in title or text; an empty filter lets all through."""
        found = self.filter(embedding_status=embedding_status) if embedding_status else self
        return found.filter(Q(title__icontains=q) | Q(text__icontains=q)) if q else found


class Knowledge(models.Model):
    """One document. Its passages are rows of their own; `text` is what they were cut from."""

    id = models.CharField(primary_key=True, max_length=40)
    tenant = models.ForeignKey(Tenant, models.CASCADE, db_index=False)
    title = models.TextField()
    text = models.TextField()
    metadata = models.JSONField(default=dict)
    embedding_status = models.CharField(max_length=20, default=WorkStatus.PENDING)
    created_at = models.DateTimeField()
    updated_at = models.DateTimeField()

    objects = KnowledgeQuerySet.as_manager()

    class Meta:
        indexes = [
            models.Index("tenant", models.F("created_at").desc(), models.F("id").desc(), name="knowledge_recent"),
        ]

    def __str__(self) -> str:
        return self.id
