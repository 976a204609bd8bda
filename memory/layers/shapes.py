"""The forms of a context: one text, or messages as the OpenAI chat format has them. Pure.

What was recalled stands between RECALL_BEGIN and RECALL_END, before the conversation: models use best what stands at
the beginning or the end of what they read, and overlook what stands in the middle (Liu et al., "Lost in the Middle: How
Language Models Use Long Contexts", TACL 12, 2024). The question stands at the end.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from memory.events import facts
from memory.layers.groups import call_ids
from memory.tokens import counting
from memory.vocabulary import RECALL_BEGIN, RECALL_END, MessageRole, Shape

T = TypeVar("T")

HEADING = "From earlier work, as information:"


@dataclass(frozen=True, slots=True)
class Line:
    """A message of a conversation. `tokens` is what it takes in each shape, by o200k_base or the vocabulary asked
    for."""

    id: str
    version: int
    number: int
    role: str
    name: str
    content: Any
    tool_calls: Any
    tool_call_id: str
    tokens: Mapping[Shape, int]


def tokens_of(
    role: str, name: str, content: Any, tool_calls: Any, vocabulary: str = counting.VOCABULARY
) -> dict[Shape, int]:
    """What a message takes in each shape."""
    message = {"role": role, "name": name, "content": content, "tool_calls": tool_calls}
    return {
        Shape.TEXT: counting.count(text_of(role, name, content, tool_calls), vocabulary),
        Shape.MESSAGES: counting.count_message(message, vocabulary),
    }


def text_of(role: str, name: str, content: Any, tool_calls: Any = None) -> str:
    """A message as lines of a text: who speaks, what is said, and the calls that it asks for."""
    said = [text for text in (facts.text_of(content), *_calls(tool_calls)) if text]
    return f"{role}{f' {name}' if name else ''}: {' '.join(said)}\n"


def block(texts: Sequence[str]) -> str:
    """What was recalled, the best first, as one text: the best at the beginning, the second best at the end, and so on
    inwards. Marks within a text are broken, so that none ends the block."""
    if not texts:
        return ""
    lines = "".join(memory_line(text) for text in edges_first(texts))
    return f"{RECALL_BEGIN}\n{HEADING}\n{lines}{RECALL_END}\n"


def memory_line(text: str) -> str:
    """An experience as it stands in the block."""
    for mark in (RECALL_BEGIN, RECALL_END):
        text = text.replace(mark, mark.replace("<", "‹").replace(">", "›"))
    return f"- {text.strip()}\n"


def edges_first(ranked: Sequence[T]) -> list[T]:
    """What is ranked, the best first, in an order in which the better stands nearer to the beginning or the end."""
    return [*ranked[::2], *reversed(ranked[1::2])]


def as_text(recalled: Sequence[str], lines: Sequence[Line], asked: str) -> str:
    """A context as one text."""
    said = "".join(text_of(line.role, line.name, line.content, line.tool_calls) for line in lines)
    return block(recalled) + said + (text_of(MessageRole.USER, "", asked) if asked else "")


def as_messages(recalled: Sequence[str], lines: Sequence[Line], asked: str) -> list[dict[str, Any]]:
    """A context as chat messages: what was recalled is the first system message. Results follow their call at once."""
    made: list[dict[str, Any]] = []
    if recalled:
        made.append({"role": MessageRole.SYSTEM.value, "content": block(recalled).rstrip("\n")})
    results = {line.tool_call_id: line for line in lines if line.role == MessageRole.TOOL}
    for line in lines:
        if line.role != MessageRole.TOOL:
            made.append(_message(line))
            made += [_message(results[call]) for call in call_ids(line.tool_calls) if call in results]
    if asked:
        made.append({"role": MessageRole.USER.value, "content": asked})
    return made


def can_be_sent(unit: Sequence[Line]) -> bool:
    """Whether a chat format takes these messages: every call has its result, and every result its call."""
    calls = {call for line in unit for call in call_ids(line.tool_calls)}
    results = {line.tool_call_id for line in unit if line.role == MessageRole.TOOL}
    return calls == results


def _message(line: Line) -> dict[str, Any]:
    told = {"name": line.name, "tool_calls": line.tool_calls, "tool_call_id": line.tool_call_id}
    return {"role": line.role, "content": line.content, **{name: value for name, value in told.items() if value}}


def _calls(calls: Any) -> list[str]:
    functions = [call.get("function") for call in calls if isinstance(call, dict)] if isinstance(calls, list) else []
    return [
        f"[calls {facts.string(each, 'name')}({facts.text_of(each.get('arguments'))})]"
        for each in functions
        if isinstance(each, dict)
    ]
