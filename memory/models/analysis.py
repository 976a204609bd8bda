"""Analyses: how far a run's causes and hints have been found, one row a stream."""

from django.db import models
from django.db.models import Q

from memory import sql
from memory.models.causal_link import CausalLink
from memory.models.hint import Hint
from memory.models.piece import Piece
from memory.models.stream import Stream
from memory.models.tenant import Tenant

KEY_BYTES = 16


class AnalysisQuerySet(models.QuerySet["Analysis"]):
    """Analyses of a stream, and what they found."""

    def of(self, stream: Stream) -> "Analysis | None":
        """The stream's; None where none was begun."""
        return self.filter(stream=stream).first()

    def behind(self, ruleset: str, most: int) -> list[Stream]:
        """The streams, at most so many, that have events which these rules have not seen, the most recently active
        first."""
        seen = self.filter(stream=models.OuterRef("pk"), ruleset=ruleset, version__gte=models.OuterRef("version"))
        return list(Stream.objects.filter(~models.Exists(seen), version__gt=0).newest_first()[:most])

    def lock(self, stream: Stream) -> None:
        """Let nobody else analyse the stream until the transaction ends."""
        sql.run("lock_analysis", {"stream_id": stream.pk})

    def forget(self, stream: Stream) -> dict[str, int]:
        """Delete all that was found in a stream; returns how many links, hints and pieces that were."""
        self.filter(stream=stream).delete()
        return {
            "links": CausalLink.objects.filter(stream=stream).delete()[0],
            "hints": Hint.objects.filter(stream=stream).delete()[0],
            "pieces": Piece.objects.filter(stream=stream).delete()[0],
        }

    def forget_up_to(self, stream: Stream, version: int) -> None:
        """Delete what was found of events up to a version, and the hints that rest on one of them."""
        self.lock(stream)
        CausalLink.objects.filter(stream=stream, effect__lte=version).delete()
        Hint.objects.filter(Q(version__lte=version) | Q(first_evidence__lte=version), stream=stream).delete()
        Piece.objects.filter(stream=stream, version__lte=version).delete()


class Analysis(models.Model):
    """The analysis of a stream up to event `version`, by the rules of `ruleset`.

    `key` keeps the digests of pieces from being guessed. `linker` and `watch` are what the rules for links and for
    hints remember between two events; both are small however long the run is, and null before
    the first event.
    """

    tenant = models.ForeignKey(Tenant, models.CASCADE, db_constraint=False, db_index=False)
    stream = models.ForeignKey(Stream, models.CASCADE, db_constraint=False, db_index=False)
    version = models.BigIntegerField(default=0)
    ruleset = models.CharField(max_length=40)
    key = models.BinaryField(max_length=KEY_BYTES)
    linker = models.JSONField(null=True)
    watch = models.JSONField(null=True)
    analysed_at = models.DateTimeField()

    objects = AnalysisQuerySet.as_manager()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["tenant", "stream"], name="analysis_once")]
