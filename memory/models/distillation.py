"""Distillations: runs of the refinery over a session or a task."""

from django.db import models

from memory.errors import NotFound
from memory.models.tenant import Tenant
from memory.vocabulary import IDENTIFIER_MAX_LENGTH, WorkStatus, is_identifier


class DistillationQuerySet(models.QuerySet["Distillation"]):
    """Distillations are found by their id."""

    def with_id(self, distillation_id: str) -> "Distillation":
        """The distillation with this id.

        Raises:
            NotFound: there is none in the tenant's scope.
        """
        found = self.filter(pk=distillation_id).first() if is_identifier(distillation_id) else None
        if found is None:
            raise NotFound(f"There is no distillation {distillation_id[:IDENTIFIER_MAX_LENGTH]!r}.")
        return found

    def matching(
        self, status: str | None = None, session_id: str | None = None, task_id: str | None = None
    ) -> "DistillationQuerySet":
        """Those that every given filter lets through; one that is empty or None lets all through."""
        asked = {"status": status, "session_id": session_id, "task_id": task_id}
        if any("\x00" in given for given in asked.values() if given):
            return self.none()  # PostgreSQL holds no text with a NUL, and refuses to look for one
        return self.filter(**{name: given for name, given in asked.items() if given})


class Distillation(models.Model):
    """One run: from the messages of a stream to decisions about experiences.

    `rules` are the settings that it ran with where they are not the tenant's own; a `draft` is a try whose experiences
    nobody is given until an operator accepts it. `input_tokens` counts what was read, `memory_tokens` what was kept.
    `reason` says why this mode was taken.
    """

    id = models.CharField(primary_key=True, max_length=40)
    tenant = models.ForeignKey(Tenant, models.CASCADE, db_index=False)
    mode = models.CharField(max_length=20)
    reason = models.CharField(max_length=200, blank=True)
    status = models.CharField(max_length=20, default=WorkStatus.PENDING)
    stream_name = models.CharField(max_length=200)
    session_id = models.CharField(max_length=40, blank=True)
    task_id = models.CharField(max_length=40, blank=True)
    user_id = models.CharField(max_length=200, blank=True)
    agent_id = models.CharField(max_length=200, blank=True)
    draft = models.BooleanField(default=False)
    rules = models.JSONField(default=dict)
    requested_by = models.CharField(max_length=200, blank=True)
    error = models.TextField(blank=True)
    messages = models.IntegerField(default=0)
    exchanges = models.IntegerField(default=0)
    candidates = models.IntegerField(default=0)
    input_tokens = models.BigIntegerField(default=0)
    memory_tokens = models.BigIntegerField(default=0)
    created_at = models.DateTimeField()
    started_at = models.DateTimeField(null=True)
    completed_at = models.DateTimeField(null=True)

    objects = DistillationQuerySet.as_manager()

    class Meta:
        indexes = [
            models.Index("tenant", models.F("created_at").desc(), models.F("id").desc(), name="distillation_recent"),
            models.Index(fields=["tenant", "stream_name"], name="distillation_of_stream"),
            models.Index(fields=["tenant", "task_id"], name="distillation_of_task"),
        ]

    def __str__(self) -> str:
        return self.id
