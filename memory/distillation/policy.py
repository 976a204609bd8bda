"""Which path a task takes: packed at once, or through the whole refinery. Pure."""

from dataclasses import dataclass

from memory.errors import Invalid
from memory.vocabulary import DistillationMode, TaskStatus


@dataclass(frozen=True, slots=True)
class Policy:
    """From how many characters of input and output on a task is worth the refinery."""

    full_from: int = 200


def choose(wish: object, status: str, characters: int, messages: int, policy: Policy) -> tuple[DistillationMode, str]:
    """The mode and why.

    Args:
        wish: what was asked for explicitly: `light`, `full` or None.
        characters: of input and output. messages: how many were said while it was open.

    Raises:
        Invalid: the wish is none.
    """
    if wish is not None:
        if not isinstance(wish, str) or wish not in set(DistillationMode):
            raise Invalid("mode must be light or full.")
        return DistillationMode(wish), "It was asked for."
    if status == TaskStatus.OPEN:
        return DistillationMode.LIGHT, "The task is still open."
    if status == TaskStatus.FAILED and not messages:
        return DistillationMode.LIGHT, "It failed, and nothing was said that would tell why."
    if characters >= policy.full_from:
        return DistillationMode.FULL, f"Input and output have {characters} characters, {policy.full_from} or more."
    if messages > 1:
        return DistillationMode.FULL, f"{messages} messages were said while it was open."
    return DistillationMode.LIGHT, f"Input and output have {characters} characters, fewer than {policy.full_from}."
