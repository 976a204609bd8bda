"""Tasks: one execution each, with what went in and what came out."""

from django.db import models

from memory.errors import NotFound
from memory.models.session import Session
from memory.models.tenant import Tenant
from memory.vocabulary import IDENTIFIER_MAX_LENGTH, TaskStatus, is_identifier


class TaskQuerySet(models.QuerySet["Task"]):
    """Tasks are found by their id."""

    def with_id(self, task_id: str) -> "Task":
        """The task with this id.

        Raises:
            NotFound: there is none in the tenant's scope.
        """
        task = self.filter(pk=task_id).first() if is_identifier(task_id) else None
        if task is None:
            raise NotFound(f"There is no task {task_id[:IDENTIFIER_MAX_LENGTH]!r}.")
        return task

    def open_of_agent(self, agent_id: str) -> "TaskQuerySet":
        """The open tasks in the agent's sessions that have not expired, the oldest first."""
        of_agent = self.filter(session__agent_id=agent_id, session__expired_at=None, status=TaskStatus.OPEN)
        return of_agent.order_by("created_at", "id")


class Task(models.Model):
    """One execution. `input` and `output` are any JSON."""

    id = models.CharField(primary_key=True, max_length=40)
    tenant = models.ForeignKey(Tenant, models.CASCADE)
    session = models.ForeignKey(Session, models.CASCADE, db_constraint=False)
    user_id = models.CharField(max_length=200)
    input = models.JSONField(null=True)
    output = models.JSONField(null=True)
    status = models.CharField(max_length=20, default=TaskStatus.OPEN)
    created_at = models.DateTimeField()
    updated_at = models.DateTimeField()

    objects = TaskQuerySet.as_manager()

    class Meta:
        indexes = [
            models.Index(fields=["tenant", "session"], name="task_of_session"),
            models.Index(fields=["tenant", "updated_at", "id"], name="task_least_changed"),
        ]

    def __str__(self) -> str:
        return self.id

    @property
    def is_open(self) -> bool:
        """Whether it has not ended."""
        return self.status == TaskStatus.OPEN
