"""Messages of a session, in the order in which they were added."""

from django.db import models

from memory.models.session import Session
from memory.models.tenant import Tenant


class MessageQuerySet(models.QuerySet["Message"]):
    """Messages of one conversation."""

    def in_session(self, session: Session) -> "MessageQuerySet":
        """The session's messages, the first one first."""
        return self.filter(session=session).order_by("number")


class Message(models.Model):
    """One message, as the chat formats have it. `number` counts from 1; `event_version` is its event's."""

    id = models.CharField(primary_key=True, max_length=40)
    tenant = models.ForeignKey(Tenant, models.CASCADE, db_constraint=False, db_index=False)
    session = models.ForeignKey(Session, models.CASCADE, db_constraint=False, db_index=False)
    number = models.IntegerField()
    event_version = models.BigIntegerField()
    role = models.CharField(max_length=50)
    name = models.CharField(max_length=200, blank=True)
    content = models.JSONField(null=True)
    tool_calls = models.JSONField(null=True)
    tool_call_id = models.CharField(max_length=200, blank=True)
    occurred_at = models.DateTimeField()
    recorded_at = models.DateTimeField()

    objects = MessageQuerySet.as_manager()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["tenant", "session", "number"], name="message_number_once")]
