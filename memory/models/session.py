"""Sessions: conversations, each with a stream of the same name. They expire; their stream stays."""

from datetime import datetime

from django.db import models

from memory.errors import NotFound
from memory.models.stream import Stream
from memory.models.tenant import Tenant
from memory.vocabulary import IDENTIFIER_MAX_LENGTH, is_identifier


class SessionQuerySet(models.QuerySet["Session"]):
    """Sessions are found by their id."""

    def with_id(self, session_id: str) -> "Session":
        """The session with this id.

        Raises:
            NotFound: there is none in the tenant's scope.
        """
        session = self.filter(pk=session_id).first() if is_identifier(session_id) else None
        if session is None:
            raise NotFound(f"There is no session {session_id[:IDENTIFIER_MAX_LENGTH]!r}.")
        return session

    def live(self) -> "SessionQuerySet":
        """Those that have not expired."""
        return self.filter(expired_at=None)

    def due(self, now: datetime) -> "SessionQuerySet":
        """Those whose time is over and that have not expired yet, the longest overdue first."""
        return self.live().filter(expires_at__lte=now).order_by("expires_at")


class Session(models.Model):
    """One conversation of a user with an agent."""

    id = models.CharField(primary_key=True, max_length=40)
    tenant = models.ForeignKey(Tenant, models.CASCADE, db_index=False)
    stream = models.ForeignKey(Stream, models.CASCADE, db_constraint=False)
    user_id = models.CharField(max_length=200)
    agent_id = models.CharField(max_length=200, blank=True)
    metadata = models.JSONField(default=dict)
    message_count = models.IntegerField(default=0)
    created_at = models.DateTimeField()
    last_active_at = models.DateTimeField()
    expires_at = models.DateTimeField()
    expired_at = models.DateTimeField(null=True)

    objects = SessionQuerySet.as_manager()

    class Meta:
        indexes = [
            models.Index(fields=["tenant", "expires_at"], condition=models.Q(expired_at=None), name="session_due"),
            models.Index(
                fields=["tenant", "last_active_at", "id"],
                condition=models.Q(expired_at=None),
                name="session_least_used",
            ),
            models.Index("tenant", "agent_id", models.F("last_active_at").desc(), name="session_of_agent"),
        ]

    def __str__(self) -> str:
        return self.id

    def is_over(self, now: datetime) -> bool:
        """Whether the session's time is over at this time, the job that clears it away having run or not."""
        return self.expired_at is not None or self.expires_at <= now
