"""Vectors of what can be searched, each with the model that made it."""

from django.db import models
from pgvector.django import VectorField

from memory.models.tenant import Tenant


class VectorQuerySet(models.QuerySet["Vector"]):
    """Vectors by their models."""

    def models_with_more_than(self, count: int) -> "list[tuple[str, int]]":
        """The models, each with its dimension, of which there are more than so many vectors."""
        by_model = self.values("model", "dimension").annotate(vectors=models.Count("id")).filter(vectors__gt=count)
        return list(by_model.values_list("model", "dimension"))


class Vector(models.Model):
    """The vector of one item of a collection by one model. Vectors of several models, and so of several dimensions,
    stand side by side while a tenant moves from one to another; `text_digest` (32 bytes) tells of which text it is."""

    tenant = models.ForeignKey(Tenant, models.CASCADE, db_index=False)
    collection = models.CharField(max_length=20)
    item_id = models.CharField(max_length=40)
    model = models.CharField(max_length=200)
    dimension = models.IntegerField()
    vector = VectorField()
    text_digest = models.BinaryField(max_length=32)
    created_at = models.DateTimeField()

    objects = VectorQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["tenant", "collection", "item_id", "model"], name="vector_once"),
        ]
        indexes = [models.Index(fields=["tenant", "model", "text_digest"], name="vector_of_text")]
