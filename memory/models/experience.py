"""Experiences: distilled memory. What is reusable of what was said and done, smaller than all that it came from."""

from collections.abc import Iterable
from datetime import datetime

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import Q
from django.db.models.functions import Coalesce

from memory.errors import NotFound
from memory.models.tenant import Tenant
from memory.vocabulary import IDENTIFIER_MAX_LENGTH, ExperienceStatus, WorkStatus, is_identifier


class ExperienceQuerySet(models.QuerySet["Experience"]):
    """Experiences by id, by owner, and those that hold at a time."""

    def with_id(self, experience_id: str) -> "Experience":
        """The experience with this id.

        Raises:
            NotFound: there is none in the tenant's scope.
        """
        found = self.filter(pk=experience_id).first() if is_identifier(experience_id) else None
        if found is None:
            raise NotFound(f"There is no experience {experience_id[:IDENTIFIER_MAX_LENGTH]!r}.")
        return found

    def active(self) -> "ExperienceQuerySet":
        """Those that hold now and are handed to agents."""
        return self.filter(status=ExperienceStatus.ACTIVE)

    def held_at(self, moment: datetime) -> "ExperienceQuerySet":
        """Those that held at this time, though something newer may have taken their place since."""
        ever = self.filter(status__in=(ExperienceStatus.ACTIVE, ExperienceStatus.SUPERSEDED))
        return ever.filter(Q(valid_to=None) | Q(valid_to__gt=moment), valid_from__lte=moment)

    def owned_by(self, user_id: str) -> "ExperienceQuerySet":
        """Those of this user alone; of nobody in particular where it is empty."""
        return self.filter(user_id=user_id)

    def open_to(self, user_id: str) -> "ExperienceQuerySet":
        """Those that this user's agents may see: the user's own and the shared ones."""
        return self.filter(user_id__in=("", user_id))

    def matching(
        self,
        kind: str | None = None,
        method: str | None = None,
        status: str | None = None,
        user_id: str | None = None,
        min_confidence: float | None = None,
        text: str | None = None,
        embedding_status: str | None = None,
    ) -> "ExperienceQuerySet":
        """Those that every given filter lets through; one that is empty or None lets all through. Drafts are shown to
        none but who asks for their status."""
        asked = {"kind": kind, "method": method, "status": status, "user_id": user_id}
        asked["embedding_status"] = embedding_status
        if any("\x00" in given for given in (*asked.values(), text) if given):
            return self.none()  # PostgreSQL holds no text with a NUL, and refuses to look for one
        found = self.filter(**{name: given for name, given in asked.items() if given})
        if not status:
            found = found.exclude(status=ExperienceStatus.DRAFT)
        if min_confidence is not None:
            found = found.filter(confidence__gte=min_confidence)
        if text:
            found = found.filter(Q(problem__icontains=text) | Q(solution__icontains=text))
        return found

    def kept(self) -> "ExperienceQuerySet":
        """All but drafts: what counts for how many there may be."""
        return self.exclude(status=ExperienceStatus.DRAFT)

    def evictable(self, often_helpful: int, most: int) -> list[str]:
        """The ids of the first that are evicted, at most so many: the least recently used first, behind them those that
        helped so much more often than they harmed, and pinned ones last."""
        helps = models.Case(
            models.When(helpful__gte=models.F("harmful") + often_helpful, then=1),
            default=0,
            output_field=models.IntegerField(),
        )
        used = Coalesce("last_used_at", "created_at")
        ranked = self.kept().order_by("pinned", helps, used, "pk")
        return list(ranked.values_list("pk", flat=True)[:most])

    def by_id(self, ids: Iterable[str]) -> "dict[str, Experience]":
        """Those with these ids that there are."""
        return {found.pk: found for found in self.filter(pk__in=list(ids))}


class Experience(models.Model):
    """One experience: problem and solution, or a statement, whose problem is empty.

    `user_id` is the user it belongs to; empty, it is shared in the tenant. `confidence` and `importance` lie in [0, 1].
    It holds from `valid_from` until `valid_to` (null: still), by the time of what was said. `digest` (32 bytes) is over
    owner, kind and normalised text, and is there once among those that are not drafts. `tokens` counts its text.
    """

    id = models.CharField(primary_key=True, max_length=40)
    tenant = models.ForeignKey(Tenant, models.CASCADE, db_index=False)
    user_id = models.CharField(max_length=200, blank=True)
    agent_id = models.CharField(max_length=200, blank=True)
    kind = models.CharField(max_length=20)
    method = models.CharField(max_length=20)
    problem = models.TextField(blank=True)
    solution = models.TextField()
    language = models.CharField(max_length=10, blank=True)
    entities = ArrayField(models.TextField(), default=list)
    subject = models.CharField(max_length=200, blank=True)
    value = models.TextField(blank=True)
    confidence = models.FloatField()
    importance = models.FloatField()
    status = models.CharField(max_length=20, default=ExperienceStatus.ACTIVE)
    pinned = models.BooleanField(default=False)
    helpful = models.IntegerField(default=0)
    harmful = models.IntegerField(default=0)
    uses = models.IntegerField(default=0)
    last_used_at = models.DateTimeField(null=True)
    valid_from = models.DateTimeField()
    valid_to = models.DateTimeField(null=True)
    superseded_by = models.ForeignKey(
        "self", models.SET_NULL, null=True, db_constraint=False, db_index=False, related_name="supersedes"
    )
    abstraction = models.ForeignKey(
        "self", models.SET_NULL, null=True, db_constraint=False, db_index=False, related_name="members"
    )
    digest = models.BinaryField(max_length=32)
    tokens = models.IntegerField(default=0)
    revision = models.IntegerField(default=1)
    embedding_status = models.CharField(max_length=20, default=WorkStatus.PENDING)
    metadata = models.JSONField(default=dict)
    created_at = models.DateTimeField()
    updated_at = models.DateTimeField()

    objects = ExperienceQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["tenant", "digest"],
                condition=~Q(status=ExperienceStatus.DRAFT),
                name="experience_once",
            ),
            models.CheckConstraint(condition=Q(confidence__gte=0, confidence__lte=1), name="experience_confidence"),
            models.CheckConstraint(condition=Q(importance__gte=0, importance__lte=1), name="experience_importance"),
        ]
        indexes = [
            models.Index(fields=["tenant", "status", "user_id", "kind"], name="experience_of_user"),
            models.Index("tenant", models.F("updated_at").desc(), models.F("id").desc(), name="experience_recent"),
            models.Index(fields=["tenant", "abstraction"], name="experience_of_abstraction"),
            models.Index(fields=["tenant", "superseded_by"], name="experience_superseded_by"),
            models.Index(
                fields=["tenant", "user_id", "subject"], condition=~Q(subject=""), name="experience_of_subject"
            ),
        ]

    def __str__(self) -> str:
        return self.id

    @property
    def text(self) -> str:
        """What is embedded, searched and counted."""
        return f"{self.problem}\n{self.solution}" if self.problem else self.solution
