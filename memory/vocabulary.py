"""The words of the product: event types, roles, outcomes and identifiers.

Plain data and pure functions. Every other module takes its words from here.
"""

import re
import secrets
from enum import StrEnum


class EventType(StrEnum):
    """Event types that aresweb itself understands. Clients may send others: they are kept and shown."""

    SESSION_CREATED = "session.created"
    SESSION_EXPIRED = "session.expired"
    SESSION_DELETED = "session.deleted"
    MESSAGE_ADDED = "message.added"
    TASK_CREATED = "task.created"
    TASK_COMPLETED = "task.completed"
    TASK_FAILED = "task.failed"
    TASK_EXPIRED = "task.expired"
    LLM_CALL = "llm.call"
    LLM_RESPONSE = "llm.response"
    TOOL_CALL = "tool.call"
    TOOL_RESULT = "tool.result"
    MEMORY_DISTILLED = "memory.distilled"
    MEMORY_RECALLED = "memory.recalled"
    MEMORY_EVICTED = "memory.evicted"
    MEMORY_CONSOLIDATED = "memory.consolidated"
    CONTEXT_BUILT = "context.built"
    AGENT_STARTED = "agent.started"
    AGENT_STOPPED = "agent.stopped"
    AGENT_CRASHED = "agent.crashed"
    AGENT_RESTORED = "agent.restored"
    AGENT_HEARTBEAT = "agent.heartbeat"
    AGENT_FLAPPING = "agent.flapping"
    RUN_FORKED = "run.forked"
    STEP_STARTED = "step.started"
    STEP_COMPLETED = "step.completed"
    STEP_FAILED = "step.failed"


# What aresweb itself notes about a session, long after its run perhaps: no part of the run's time.
HOUSEKEEPING = frozenset(
    {EventType.SESSION_EXPIRED, EventType.SESSION_DELETED, EventType.TASK_EXPIRED, EventType.MEMORY_DISTILLED}
)


class Outcome(StrEnum):
    """How a run ended, as far as its events tell."""

    RUNNING = "running"
    SUCCEEDED = "succeeded"
    FAILED = "failed"
    UNKNOWN = "unknown"


class HealthState(StrEnum):
    """How an agent is, as far as its events tell."""

    RUNNING = "running"
    IDLE = "idle"
    STALLED = "stalled"
    CRASHED = "crashed"
    RESTORED = "restored"
    STOPPED = "stopped"


class LinkKind(StrEnum):
    """What a causal link between two events of a run says of the later one."""

    EXPLICIT = "explicit"  # its causation_id names the earlier one
    ASKED = "asked"  # the call was asked for by the answer
    ANSWERED = "answered"  # the result answers the call
    HANDED = "handed"  # the message hands on the result
    ENTERED = "entered"  # the prompt, or the answer that shows no prompt, has the earlier one in it for the first time
    CARRIED = "carried"  # the prompt goes on with the conversation that the earlier one began
    KEPT = "kept"  # the prompt still has the earlier one in it; found when walking, never stored
    LEFT = "left"  # the prompt does not have the earlier one in it any more; no cause, but the end of one
    PROMPTED = "prompted"  # the response answers the prompt
    SAID = "said"  # the message says what the response was
    ENDED = "ended"  # the end of a task or step follows what was done last in it


class LinkReason(StrEnum):
    """How a causal link was found; `memory.flight.links.CERTAINTY` says what each is worth."""

    CAUSATION_ID = "causation_id"
    SAME_ID = "same_id"
    SAME_TEXT = "same_text"
    SAME_PARTS = "same_parts"
    NAME_AND_ORDER = "name_and_order"
    ORDER = "order"
    SAID_SINCE = "said_since"


class MessageRole(StrEnum):
    """Roles of a conversation that the chat formats agree on. Others are accepted and kept as sent."""

    SYSTEM = "system"
    USER = "user"
    ASSISTANT = "assistant"
    TOOL = "tool"


class Severity(StrEnum):
    """How much a hint matters: a wrong answer probably rests on it, work went wrong, or it is merely worth a look."""

    HIGH = "high"
    MEDIUM = "medium"
    LOW = "low"


class HintRule(StrEnum):
    """The rules that find suspicious steps in a run; `memory.flight.hints.rules` says what each finds."""

    EMPTY_RESULT = "empty_result"
    HIDDEN_ERROR = "hidden_error"
    TRUNCATED_RESULT = "truncated_result"
    IGNORED_RESULT = "ignored_result"
    REPEATED_CALL = "repeated_call"
    FUTILE_RETRY = "futile_retry"
    ALTERNATION = "alternation"
    UNKNOWN_TOOL = "unknown_tool"
    BROKEN_ARGUMENTS = "broken_arguments"
    CONTRADICTED_RESULT = "contradicted_result"
    UNSUPPORTED_AMOUNT = "unsupported_amount"
    UNEARNED_SUCCESS = "unearned_success"
    DROPPED_GOAL = "dropped_goal"
    SILENT_AGENT = "silent_agent"
    OVERFLOWED_CONTEXT = "overflowed_context"
    DROPPED_MESSAGE = "dropped_message"
    CONTRADICTED_MEMORY = "contradicted_memory"
    UNUSUAL_COST = "unusual_cost"
    UNUSUAL_LATENCY = "unusual_latency"


class TaskStatus(StrEnum):
    """Life of one task: open until it is completed or failed."""

    OPEN = "open"
    COMPLETED = "completed"
    FAILED = "failed"


class Kind(StrEnum):
    """Kinds of experience."""

    SOLUTION = "solution"
    FACT = "fact"
    PREFERENCE = "preference"
    PROFILE = "profile"
    PROCEDURE = "procedure"
    ABSTRACTION = "abstraction"


# Kinds that say how something was solved; the others state something.
SOLVING = frozenset({Kind.SOLUTION, Kind.PROCEDURE, Kind.ABSTRACTION})


# What is about a person belongs to that person alone, always.
PERSONAL_KINDS = frozenset({Kind.FACT, Kind.PREFERENCE, Kind.PROFILE})


class Method(StrEnum):
    """How an experience was extracted: an explicit problem and its resolution, a model's summary, or a rule."""

    DIRECT = "direct"
    SUMMARY = "summary"
    PATTERN = "pattern"


class ExperienceStatus(StrEnum):
    """Life of an experience. Agents are given the active ones alone."""

    ACTIVE = "active"
    SUPERSEDED = "superseded"
    ARCHIVED = "archived"
    QUARANTINED = "quarantined"
    DRAFT = "draft"


class Action(StrEnum):
    """What can be decided about a candidate."""

    INSERT = "insert"
    UPDATE = "update"
    MERGE = "merge"
    DISCARD = "discard"


class DistillationMode(StrEnum):
    """The two paths: packing a task's input and output at once, and the whole refinery in the background."""

    LIGHT = "light"
    FULL = "full"


class WorkStatus(StrEnum):
    """Life of work in the background."""

    PENDING = "pending"
    PROCESSING = "processing"
    COMPLETED = "completed"
    FAILED = "failed"


class Queue(StrEnum):
    """Queues of work in the background."""

    EMBEDDING = "embedding"
    DISTILLATION = "distillation"


class Collection(StrEnum):
    """What can be searched."""

    EXPERIENCE = "experience"
    KNOWLEDGE = "knowledge"
    TOOL = "tool"


class LedgerKind(StrEnum):
    """What an entry of the token ledger is about. Entries of different kinds are never added up: a context's tokens are
    those of its recall, and are sent again with the call of the model."""

    CONTEXT = "context"
    RECALL = "recall"
    REQUEST = "request"
    CALL = "call"


class ContextMethod(StrEnum):
    """How a context came to be: the whole history, its newest part, or a part with recalled experience."""

    FULL = "full"
    WINDOW = "window"
    MEMORY = "memory"


class Shape(StrEnum):
    """Forms of a context: one text, or messages as the OpenAI chat format has them."""

    TEXT = "text"
    MESSAGES = "messages"


# What aresweb puts in front of a model stands between these, and nothing is ever learned from it again.
RECALL_BEGIN = "<recalled-memory>"
RECALL_END = "</recalled-memory>"


class InvitationState(StrEnum):
    """What has become of an invitation."""

    OPEN = "open"
    ACCEPTED = "accepted"
    REVOKED = "revoked"
    EXPIRED = "expired"


class Role(StrEnum):
    """What a member may do in a tenant; each role includes the ones before it."""

    VIEWER = "viewer"
    OPERATOR = "operator"
    ADMIN = "admin"


class Scope(StrEnum):
    """What an API key may do; a key has some of them, and none includes another."""

    INGEST = "ingest"
    READ = "read"
    MANAGE = "manage"


class Measure(StrEnum):
    """What is counted by the minute, for a tenant and for a key."""

    REQUESTS = "requests"
    EVENTS = "events"


# Two or more words joined by dots: `tool.call`, `acme.order.placed`.
EVENT_TYPE_PATTERN = re.compile(r"[A-Za-z][A-Za-z0-9_-]*(\.[A-Za-z0-9_-]+)+", re.ASCII)
# What can stand in a path segment without being escaped, so that a stream's address is its name.
STREAM_NAME_PATTERN = re.compile(r"[A-Za-z0-9][A-Za-z0-9._:@+~-]*", re.ASCII)
# Identifiers that clients choose: visible ASCII without a space.
IDENTIFIER_PATTERN = re.compile(r"[\x21-\x7e]+")

EVENT_TYPE_MAX_LENGTH = 100
STREAM_NAME_MAX_LENGTH = 200
IDENTIFIER_MAX_LENGTH = 200

SESSION_PREFIX = "sess_"
TASK_PREFIX = "task_"
# What aresweb does to a tenant's memory as a whole is recorded in a stream of its own, which nobody else appends to.
OWN_PREFIX = "aresweb:"
MEMORY_STREAM = f"{OWN_PREFIX}memory"

MESSAGE_PREFIX = "msg_"
EVENT_PREFIX = "evt_"
EXPERIENCE_PREFIX = "exp_"
DISTILLATION_PREFIX = "dist_"
KNOWLEDGE_PREFIX = "know_"
TOOL_PREFIX = "tool_"


def is_identifier(text: str) -> bool:
    """Whether the text has the form of an identifier. What has not is the id of nothing, and need not be looked for."""
    return len(text) <= IDENTIFIER_MAX_LENGTH and IDENTIFIER_PATTERN.fullmatch(text) is not None


def new_id(prefix: str) -> str:
    """An unguessable identifier: the prefix and 24 hexadecimal digits (96 bits from the system's secure source)."""
    return prefix + secrets.token_hex(12)
