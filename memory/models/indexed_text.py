"""Indexed texts: what the search by words knows of each item, beside its postings."""

from django.contrib.postgres.fields import ArrayField
from django.db import models

from memory.models.tenant import Tenant


class IndexedText(models.Model):
    """One item of a collection.

    `length` is its number of terms, `terms` each of them once. `sequence` names what it is a piece of (a stream, a
    document), in the order of `place`; empty, it stands alone. `leaning`, in [0, 1], is how much it needs what stands
    around it. `names` are whom and what it is about, each as its terms with spaces between.
    """

    tenant = models.ForeignKey(Tenant, models.CASCADE, db_index=False)
    collection = models.CharField(max_length=20)
    item_id = models.CharField(max_length=40)
    length = models.FloatField(default=0)
    terms = ArrayField(models.TextField(), default=list)
    names = ArrayField(models.TextField(), default=list)
    sequence = models.CharField(max_length=200, blank=True)
    place = models.BigIntegerField(default=0)
    leaning = models.FloatField(default=0)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["tenant", "collection", "item_id"], include=["length"], name="indexed_text_once"
            ),
        ]
        indexes = [
            models.Index(
                fields=["tenant", "collection", "sequence", "place"],
                condition=~models.Q(sequence=""),
                name="indexed_text_in_sequence",
            ),
        ]
