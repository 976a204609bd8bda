"""The tables, one a file."""

from memory.models.allowance import Allowance
from memory.models.analysis import Analysis
from memory.models.api_key import ApiKey
from memory.models.audit_entry import AuditEntry
from memory.models.causal_link import CausalLink
from memory.models.decision import Decision
from memory.models.deletion import Deletion
from memory.models.distillation import Distillation
from memory.models.embedding_model import EmbeddingModel
from memory.models.event import Event
from memory.models.experience import Experience
from memory.models.experience_map import ExperienceMap
from memory.models.finding import Finding
from memory.models.hint import Hint
from memory.models.idempotency_key import IdempotencyKey
from memory.models.indexed_text import IndexedText
from memory.models.invitation import Invitation
from memory.models.knowledge import Knowledge
from memory.models.ledger_entry import LedgerEntry
from memory.models.membership import Membership
from memory.models.message import Message
from memory.models.note import Note
from memory.models.passage import Passage
from memory.models.piece import Piece
from memory.models.posting import Posting
from memory.models.queue_item import QueueItem
from memory.models.recollection import Recollection
from memory.models.revision import Revision
from memory.models.saved_view import SavedView
from memory.models.segment import ArchivedId, Segment
from memory.models.session import Session
from memory.models.snapshot import Snapshot
from memory.models.source import Source
from memory.models.stream import Stream
from memory.models.task import Task
from memory.models.tenant import Tenant
from memory.models.tenant_setting import TenantSetting
from memory.models.tool import Tool
from memory.models.user import User
from memory.models.vector import Vector
from memory.models.verification import Verification

__all__ = [
    "Allowance",
    "Analysis",
    "ApiKey",
    "ArchivedId",
    "AuditEntry",
    "CausalLink",
    "Decision",
    "Deletion",
    "Distillation",
    "EmbeddingModel",
    "Event",
    "Experience",
    "ExperienceMap",
    "Finding",
    "Hint",
    "IdempotencyKey",
    "IndexedText",
    "Invitation",
    "Knowledge",
    "LedgerEntry",
    "Membership",
    "Message",
    "Note",
    "Passage",
    "Piece",
    "Posting",
    "QueueItem",
    "Recollection",
    "Revision",
    "SavedView",
    "Segment",
    "Session",
    "Snapshot",
    "Source",
    "Stream",
    "Task",
    "Tenant",
    "TenantSetting",
    "Tool",
    "User",
    "Vector",
    "Verification",
]
