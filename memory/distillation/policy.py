"""Which path a task takes: packed at once, or through the whole refinery. Pure."""

from dataclasses import dataclass

from memory.distillation import score
from memory.distillation.evidence import is_technical
from memory.errors import Invalid
from memory.vocabulary import DistillationMode, Kind, TaskStatus

# Of each, input and output, so much is looked at.
READ_CHARACTERS = 10_000


@dataclass(frozen=True, slots=True)
class Policy:
    """From how much value in [0, 1], or from how many characters of input and output on, a task is worth the
    refinery."""

    full_from: int = 200
    full_from_value: float = 0.6


def value_of(given: str, output: str, messages: int) -> float:
    """What is lost if nothing is learned from a task, in [0, 1]: the importance of its input and output as a solution.
    Errors, code and names count, whatever their length."""
    told = f"{given[:READ_CHARACTERS]}\n{output[:READ_CHARACTERS]}"
    return score.importance(told, Kind.SOLUTION, evidence=is_technical(told), effort=messages)[0]


def choose(
    wish: object, status: str, characters: int, value: float, messages: int, policy: Policy
) -> tuple[DistillationMode, str]:
    """The mode and why.

    Args:
        wish: what was asked for explicitly: `light`, `full` or None.
        characters: of input and output. value: see `value_of`. messages: how many were said while it was open.

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
    if value >= policy.full_from_value:
        return DistillationMode.FULL, f"Its value is {value:.2f}, {policy.full_from_value:g} or more."
    if messages > 1:
        return DistillationMode.FULL, f"{messages} messages were said while it was open."
    return DistillationMode.LIGHT, f"{characters} characters and a value of {value:.2f} are not worth the refinery."
