"""Turns for tests of the refinery's rules."""

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

from memory.distillation.data import Extraction, Rules, ToolCall, Turn
from memory.distillation.extract import extract

MAY = datetime(2026, 5, 6, 10, tzinfo=UTC)  # a Wednesday


def turn(number: int, role: str, text: str, **given: Any) -> Turn:
    """A turn with the id `m<number>`."""
    return Turn(**{"id": f"m{number}", "version": number, "role": role, "text": text, "occurred_at": MAY} | given)


def chat(*texts: str) -> list[Turn]:
    """A user and an assistant, in turns."""
    return [turn(n, ("user", "assistant")[(n - 1) % 2], text) for n, text in enumerate(texts, start=1)]


def people(*said: tuple[str, str]) -> list[Turn]:
    """People among themselves: names and what they say."""
    return [turn(n, "user", text, name=name) for n, (name, text) in enumerate(said, start=1)]


def call(number: int, name: str, arguments: str = "{}") -> Turn:
    """An assistant that asks for a tool; its call has the id `c<number>`."""
    return turn(number, "assistant", "", tool_calls=(ToolCall(f"c{number}", name, arguments),))


def result(number: int, of: int, text: str, *, is_error: bool = False) -> Turn:
    """What a tool answered."""
    return turn(number, "tool", text, tool_call_id=f"c{of}", is_error=is_error)


def extracted(turns: Sequence[Turn], **given: Any) -> Extraction:
    """What the usual rules find."""
    return extract(turns, Rules(), **given)
