"""Streams, which an operator calls runs: one row with what the lists show, kept up to date by every append."""

from datetime import datetime

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import Q

from memory.errors import NotFound
from memory.models.tenant import Tenant
from memory.vocabulary import STREAM_NAME_MAX_LENGTH, Outcome, is_identifier

# A text that is nowhere makes PostgreSQL read every payload of the tenant.
SEARCH_SECONDS = 8.0
# A tenant whose clients make up names must not blow up a page.
MOST_CHOICES = 200
# More than one run of the job that verifies them comes to.
MOST_DUE = 10_000


class StreamQuerySet(models.QuerySet["Stream"]):
    """The filters of the runs list."""

    def named(self, name: str) -> "Stream":
        """The stream with this name.

        Raises:
            NotFound: there is none in the tenant's scope.
        """
        stream = self.filter(name=name).first() if is_identifier(name) else None
        if stream is None:
            raise NotFound(f"There is no stream {name[:STREAM_NAME_MAX_LENGTH]!r}.")
        return stream

    def agents(self) -> list[str]:
        """The agents that have streams, in alphabetical order, the first MOST_CHOICES."""
        named = self.exclude(agent_id="").order_by("agent_id")
        return list(named.values_list("agent_id", flat=True).distinct()[:MOST_CHOICES])

    def types(self) -> list[str]:
        """The types of event that the streams hold, in alphabetical order, the first MOST_CHOICES."""
        each = self.annotate(held=models.Func("event_types", function="unnest")).order_by("held")
        return list(each.values_list("held", flat=True).distinct()[:MOST_CHOICES])

    def of_agent(self, agent_id: str) -> "StreamQuerySet":
        """Those of one agent, the one it worked in last first."""
        if "\x00" in agent_id:
            return self.none()  # PostgreSQL holds no text with a NUL, and refuses to look for one
        worked_last = models.F("last_work_at").desc(nulls_last=True)
        return self.filter(agent_id=agent_id).exclude(agent_id="").order_by(worked_last, "-id")

    def forks_of(self, name: str) -> "StreamQuerySet":
        """Those that go on from a step of the stream with this name, the most recently active first."""
        return self.filter(forked_from=name).exclude(forked_from="").newest_first()

    def newest_first(self) -> "StreamQuerySet":
        """The most recently active first."""
        return self.order_by("-last_event_at", "-id")

    def matching(
        self,
        agent_id: str | None = None,
        outcome: str | None = None,
        event_type: str | None = None,
        text: str | None = None,
        user_id: str | None = None,
        tag: str | None = None,
    ) -> "StreamQuerySet":
        """Those that every given filter lets through; one that is empty or None lets all through."""
        if any("\x00" in given for given in (agent_id, outcome, event_type, text, user_id, tag) if given):
            return self.none()  # PostgreSQL holds no text with a NUL, and refuses to look for one
        fields = {"agent_id": agent_id, "outcome": outcome, "user_id": user_id}
        found = self.filter(**{name: value for name, value in fields.items() if value})
        if event_type:
            found = found.holding_type(event_type)
        if tag:
            found = found.tagged(tag)
        return found.mentioning(text) if text else found

    def tagged(self, tag: str) -> "StreamQuerySet":
        """Those with a note that has this tag."""
        from memory.models.note import Note

        return self.filter(models.Exists(Note.objects.filter(stream_id=models.OuterRef("pk"), tags__contains=[tag])))

    def measuring(
        self,
        events: tuple[int | None, int | None] = (None, None),
        tokens: tuple[int | None, int | None] = (None, None),
        has_errors: bool | None = None,
    ) -> "StreamQuerySet":
        """Those whose number of events and of reported tokens lies between two bounds, both included, None for none;
        and with errors, or without any."""
        found = self.annotate(tokens=models.F("input_tokens") + models.F("output_tokens"))
        for name, (least, most) in (("version", events), ("tokens", tokens)):
            bounds = {f"{name}__gte": least, f"{name}__lte": most}
            found = found.filter(**{bound: value for bound, value in bounds.items() if value is not None})
        if has_errors is not None:
            found = found.filter(error_count__gt=0) if has_errors else found.filter(error_count=0)
        return found

    def older_than(self, moment: datetime, row: int) -> "StreamQuerySet":
        """Those behind this place in the order of `newest_first`."""
        behind = Q(last_event_at__lt=moment) | Q(last_event_at=moment, pk__lt=row)
        return self.newest_first().filter(behind, last_event_at__lte=moment)

    def newer_than(self, moment: datetime, row: int) -> "StreamQuerySet":
        """Those before this place in the order of `newest_first`, the nearest first."""
        before = Q(last_event_at__gt=moment) | Q(last_event_at=moment, pk__gt=row)
        return self.newest_first().reverse().filter(before, last_event_at__gte=moment)

    def active_since(self, moment: datetime) -> "StreamQuerySet":
        """With an event recorded at or after this moment."""
        return self.filter(last_event_at__gte=moment)

    def holding_type(self, event_type: str) -> "StreamQuerySet":
        """With at least one event of this type."""
        return self.filter(event_types__contains=[event_type])

    def lacking_snapshot(self, every: int, reducer_version: int) -> "StreamQuerySet":
        """Those with `every` or more events behind their newest snapshot by this reducer."""
        newest = models.Max("snapshot__version", filter=Q(snapshot__reducer_version=reducer_version), default=0)
        long_enough = self.filter(version__gte=every)  # most streams are short, and need not be asked for snapshots
        return long_enough.annotate(newest_snapshot=newest).filter(version__gte=models.F("newest_snapshot") + every)

    def lacking_last_snapshot(self, rested: datetime, reducer_version: int) -> "StreamQuerySet":
        """Those that ended before this moment and have no snapshot of their end by this reducer."""
        snapshot = {"snapshot__version": models.F("version"), "snapshot__reducer_version": reducer_version}
        taken = self.filter(pk=models.OuterRef("pk"), **snapshot)
        ended = self.filter(outcome__in=(Outcome.SUCCEEDED, Outcome.FAILED), last_event_at__lte=rested)
        return ended.exclude(models.Exists(taken))

    def due_for_verification(self, oldest: datetime) -> list[int]:
        """The rows of those that were not verified since this moment: never verified ones first, then those that have
        grown since, then the others, the longest ago first."""
        seen, seen_at = models.F("verification__version"), models.F("verification__verified_at")
        due = self.filter(Q(verification=None) | Q(verification__verified_at__lt=oldest))
        never_first = due.annotate(has_grown=Q(version__gt=seen)).order_by(
            models.F("has_grown").desc(nulls_first=True), seen_at.asc(), "pk"
        )
        return list(never_first.values_list("pk", flat=True)[:MOST_DUE])

    def with_hot_events(self, least: int) -> "StreamQuerySet":
        """Those with so many events, or more, that are not archived."""
        archived = models.Max("segment__last_version", default=0)
        return (
            self.filter(version__gte=least)
            .annotate(archived=archived)
            .filter(version__gte=models.F("archived") + least)
        )

    def mentioning(self, text: str) -> "StreamQuerySet":
        """With this text in title, name, agent, user or the payload of an event; letter case does not matter.

        Events that are archived are not searched.
        """
        from memory.models.event import Event

        said = Event.objects.filter(stream_id=models.OuterRef("pk")).saying(text)
        facts = Q()
        for field in ("title", "name", "agent_id", "user_id"):
            facts |= Q(**{f"{field}__icontains": text})
        return self.filter(facts | models.Exists(said))


class Stream(models.Model):
    """A named, append-only sequence of events, and the running totals over them."""

    tenant = models.ForeignKey(Tenant, models.CASCADE, db_index=False)
    name = models.CharField(max_length=STREAM_NAME_MAX_LENGTH)
    version = models.BigIntegerField(default=0)
    last_hash = models.BinaryField(max_length=32)
    created_at = models.DateTimeField()
    last_event_at = models.DateTimeField()

    agent_id = models.CharField(max_length=200, blank=True)
    user_id = models.CharField(max_length=200, blank=True)
    title = models.CharField(max_length=200, blank=True)
    outcome = models.CharField(max_length=20, default=Outcome.UNKNOWN)
    started_at = models.DateTimeField(null=True)
    ended_at = models.DateTimeField(null=True)
    error_count = models.BigIntegerField(default=0)
    open_tasks = models.BigIntegerField(default=0)
    input_tokens = models.BigIntegerField(default=0)
    output_tokens = models.BigIntegerField(default=0)
    event_types = ArrayField(models.CharField(max_length=100), default=list)
    strip = models.CharField(max_length=130, blank=True)
    strip_bin = models.BigIntegerField(default=1)
    # By the server's clock: when the agent did something last, when it said last that it lives, and the last it told
    # of its process: started, stopped, crashed, restored.
    last_work_at = models.DateTimeField(null=True)
    last_heartbeat_at = models.DateTimeField(null=True)
    agent_status = models.CharField(max_length=20, blank=True)
    agent_status_at = models.DateTimeField(null=True)
    # The step of another run that this one goes on from, as it says itself; empty for most.
    forked_from = models.CharField(max_length=STREAM_NAME_MAX_LENGTH, blank=True, default="", db_default="")
    forked_at = models.BigIntegerField(default=0, db_default=0)

    objects = StreamQuerySet.as_manager()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["tenant", "name"], name="stream_name_once")]
        indexes = [
            models.Index("tenant", models.F("last_event_at").desc(), models.F("id").desc(), name="stream_recent"),
            models.Index(fields=["tenant", "agent_id"], name="stream_agent"),
            models.Index(fields=["tenant", "forked_from"], condition=~Q(forked_from=""), name="stream_forks"),
        ]

    def __str__(self) -> str:
        return self.name
