"""Causal links between two events of a stream, as `memory.flight.links` finds them."""

from collections.abc import Collection

from django.db import models

from memory.models.stream import Stream
from memory.models.tenant import Tenant
from memory.vocabulary import LinkKind


class CausalLinkQuerySet(models.QuerySet["CausalLink"]):
    """Links of one stream."""

    def in_stream(self, stream: Stream) -> "CausalLinkQuerySet":
        """The stream's, in the order of what they lead to."""
        return self.filter(stream=stream).order_by("effect", "cause")

    def to(self, versions: Collection[int]) -> "CausalLinkQuerySet":
        """Those that lead to one of these events."""
        return self.filter(effect__in=versions)

    def of(self, versions: Collection[int]) -> "CausalLinkQuerySet":
        """Those that lead from one of these events."""
        return self.filter(cause__in=versions)

    def of_kind(self, *kinds: LinkKind) -> "CausalLinkQuerySet":
        """Those of these kinds."""
        return self.filter(kind__in=kinds)


class CausalLink(models.Model):
    """The event `cause` led to the event `effect`; see `memory.flight.links.Link`."""

    pk = models.CompositePrimaryKey("tenant_id", "stream_id", "effect", "cause", "kind")
    tenant = models.ForeignKey(Tenant, models.CASCADE, db_constraint=False, db_index=False)
    stream = models.ForeignKey(Stream, models.CASCADE, db_constraint=False, db_index=False)
    effect = models.BigIntegerField()
    cause = models.BigIntegerField()
    kind = models.CharField(max_length=12)
    certainty = models.FloatField()
    how = models.CharField(max_length=20)

    objects = CausalLinkQuerySet.as_manager()

    class Meta:
        constraints = [
            models.CheckConstraint(condition=models.Q(cause__lt=models.F("effect")), name="causal_link_goes_forward")
        ]
        indexes = [models.Index(fields=["tenant", "stream", "cause", "effect"], name="causal_link_of_cause")]
