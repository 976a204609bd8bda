"""The tables, one a file."""

from memory.models.api_key import ApiKey
from memory.models.event import Event
from memory.models.idempotency_key import IdempotencyKey
from memory.models.membership import Membership
from memory.models.message import Message
from memory.models.segment import ArchivedId, Segment
from memory.models.session import Session
from memory.models.snapshot import Snapshot
from memory.models.stream import Stream
from memory.models.task import Task
from memory.models.tenant import Tenant
from memory.models.user import User

__all__ = [
    "ApiKey",
    "ArchivedId",
    "Event",
    "IdempotencyKey",
    "Membership",
    "Message",
    "Segment",
    "Session",
    "Snapshot",
    "Stream",
    "Task",
    "Tenant",
    "User",
]
