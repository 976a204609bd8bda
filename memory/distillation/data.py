"""What the refinery's rules work on: plain data, made of a stream's messages by `memory.distillation.turns`."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from memory.vocabulary import Kind, Method


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A tool that a message asks for; `arguments` is their text, usually JSON."""

    id: str
    name: str
    arguments: str


@dataclass(frozen=True, slots=True)
class Turn:
    """One message as the refinery reads it: `id` is the message's, `version` its event's, `is_error` a failed
    result's."""

    id: str
    version: int
    role: str
    text: str
    occurred_at: datetime
    name: str = ""
    tool_calls: tuple[ToolCall, ...] = ()
    tool_call_id: str = ""
    is_error: bool = False


@dataclass(frozen=True, slots=True)
class Candidate:
    """Something that may become an experience: text that stands for itself, and the ids of the messages it rests on.

    `confidence` and `importance` lie in [0, 1]; `terms` names what they are made of. `subject` is a key of what a
    statement is about and `value` what it says of it; both are empty where no rule knows. A `personal` one belongs to
    its user alone. `quarantine` is the reason for which it has to wait for an operator; empty: it has not.
    """

    kind: Kind
    method: Method
    problem: str
    solution: str
    language: str
    entities: tuple[str, ...]
    subject: str
    value: str
    confidence: float
    importance: float
    terms: Mapping[str, float]
    sources: tuple[str, ...]
    occurred_at: datetime
    personal: bool
    quarantine: str = ""

    @property
    def text(self) -> str:
        """What is embedded, searched and counted."""
        return f"{self.problem}\n{self.solution}" if self.problem else self.solution


@dataclass(frozen=True, slots=True)
class Dropped:
    """What was let go, by which rule and why."""

    rule: str
    reason: str
    text: str
    sources: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Extraction:
    """What was cut out of a conversation, in its order."""

    candidates: tuple[Candidate, ...]
    dropped: tuple[Dropped, ...]
    exchanges: int


@dataclass(frozen=True, slots=True)
class Rules:
    """The thresholds of extraction. With `precision_over_recall`, what is uncertain is rather dropped."""

    precision_over_recall: bool = False
    problem_characters: int = 700
    solution_characters: int = 1600

    @property
    def least_confidence(self) -> float:
        """Below it, a candidate is dropped."""
        return 0.5 if self.precision_over_recall else 0.25
