"""Postings: which items a term stands in, and how often."""

from django.db import models

from memory.models.tenant import Tenant


class Posting(models.Model):
    """One term of one indexed text. `frequency` counts half for what is only context; `length` is the text's, so that
    a score needs nothing but the postings. `text_id` is the row of the indexed text, which takes its postings along."""

    tenant = models.ForeignKey(Tenant, models.CASCADE, db_index=False)
    collection = models.CharField(max_length=20)
    term = models.CharField(max_length=64, db_collation="C")
    text_id = models.BigIntegerField()
    frequency = models.FloatField()
    length = models.FloatField()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["tenant", "collection", "term", "text_id"], include=["frequency", "length"], name="posting_once"
            ),
        ]
