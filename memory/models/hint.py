"""Hints: suspicious steps of a stream, as the rules of `memory.flight.hints` tell them."""

from collections.abc import Collection

from django.contrib.postgres.fields import ArrayField
from django.db import models

from memory.models.stream import Stream
from memory.models.tenant import Tenant


class HintQuerySet(models.QuerySet["Hint"]):
    """Hints of one stream."""

    def in_stream(self, stream: Stream) -> "HintQuerySet":
        """The stream's, in the order of the steps."""
        return self.filter(stream=stream).order_by("version", "pk")

    def not_of(self, rules: Collection[str]) -> "HintQuerySet":
        """Those that none of these rules told."""
        return self.exclude(rule__in=rules)


class Hint(models.Model):
    """What a rule found suspicious about the event `version`.

    `evidence` are the versions that show it, `first_evidence` the smallest of them and `version`. `tokens_before` is
    what providers had reported in the run up to that event, itself included.
    """

    tenant = models.ForeignKey(Tenant, models.CASCADE, db_constraint=False, db_index=False)
    stream = models.ForeignKey(Stream, models.CASCADE, db_constraint=False, db_index=False)
    rule = models.CharField(max_length=40)
    severity = models.CharField(max_length=10)
    version = models.BigIntegerField()
    evidence = ArrayField(models.BigIntegerField())
    first_evidence = models.BigIntegerField()
    sentence = models.TextField()
    tokens_before = models.BigIntegerField()
    found_at = models.DateTimeField()

    objects = HintQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["tenant", "stream", "version", "rule"], name="hint_once"),
        ]

    def tokens_after(self, total: int) -> int:
        """The tokens spent after the event, of a run for which providers have reported `total` so far."""
        return max(0, total - self.tokens_before)
