"""What a speaker can be taken to have been shown, in runs that record no prompts: what was said since. Pure."""

from collections.abc import Collection
from typing import Any

from memory.flight.origins import is_telling
from memory.flight.trace import Step
from memory.vocabulary import EventType, MessageRole

# What was said last is remembered, and so many of it count as what an answer answers.
MOST_SAID = 16
MOST_SHOWN = 8
MOST_SPEAKERS = 32


class Said:
    """What was said last, and when each speaker spoke. `state` is JSON: `said` is `[[version, speaker, whether it is an
    answer], …]`, `speakers` `[[name, first version, last version], …]`, the one that spoke last at the end."""

    def __init__(self, state: dict[str, Any]) -> None:
        state.setdefault("said", [])
        state.setdefault("speakers", [])
        self._state = state

    def before(self, step: Step) -> tuple[int | None, list[int]]:
        """The version by which the step's speaker began, None where this is the first, and what others have said since
        the speaker's last word, the newest; where that is nothing, the last word itself.

        A user who is not named answers what was said last, and does not see results of tools.
        """
        speaker = _speaker(step)
        began, last = next((told[1:] for told in self._state["speakers"] if told[0] == speaker), (None, 0))
        since = [
            (version, is_answer) for version, by, is_answer in self._state["said"] if version > last and by != speaker
        ]
        if step.role == MessageRole.SYSTEM:
            return None, []
        if step.role == MessageRole.USER and speaker == MessageRole.USER:
            return None, [version for version, is_answer in since if is_answer][-1:]
        shown = [version for version, _ in since[-MOST_SHOWN:]]
        return began, shown or ([last] if last else [])

    def add(self, step: Step, repeated: Collection[int]) -> None:
        """Remember what the step says, in the place of the steps that it says once more."""
        if not is_telling(step) and step.type != EventType.MEMORY_RECALLED:
            return
        speaker = _speaker(step)
        said = [told for told in self._state["said"] if told[0] not in repeated]
        self._state["said"] = [*said, [step.version, speaker, step.is_answer]][-MOST_SAID:]
        if step.is_answer or step.role == MessageRole.USER:
            self._note(speaker, step.version)

    def _note(self, speaker: str, version: int) -> None:
        speakers = self._state["speakers"]
        before = next((told for told in speakers if told[0] == speaker), None)
        if before:
            speakers.remove(before)
        speakers.append([speaker, before[1] if before else version, version])
        del speakers[:-MOST_SPEAKERS]


def _speaker(step: Step) -> str:
    if step.is_result:
        return MessageRole.TOOL
    return step.speaker or (MessageRole.ASSISTANT if step.is_answer or step.is_prompt else "")
