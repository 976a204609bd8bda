"""Passages: the pieces of a document that are searched, each about a paragraph or two."""

from django.db import models

from memory.models.knowledge import Knowledge
from memory.models.tenant import Tenant


class Passage(models.Model):
    """One passage; `number` counts from 1 in its document, and its id is the document's with that number."""

    id = models.CharField(primary_key=True, max_length=40)
    tenant = models.ForeignKey(Tenant, models.CASCADE, db_index=False)
    knowledge = models.ForeignKey(
        Knowledge, models.CASCADE, db_constraint=False, db_index=False, related_name="passages"
    )
    number = models.IntegerField()
    text = models.TextField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["tenant", "knowledge", "number"], name="passage_once")]

    def __str__(self) -> str:
        return self.id
