"""What was recalled is not learned again: a candidate that repeats it is an echo, not a source. Pure."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from memory.distillation.data import Candidate, Dropped, Extraction

# Shorter statements stand in longer texts by accident: they must be the whole of what was recalled.
LEAST_CHARACTERS = 24


@dataclass(frozen=True, slots=True)
class Recalled:
    """A text that was put in front of an agent, and the version of the event that tells of it."""

    version: int
    text: str


def without_recalled(extraction: Extraction, recalled: Sequence[Recalled], versions: Mapping[str, int]) -> Extraction:
    """The extraction without the candidates that repeat what had been recalled before they were said.

    Args:
        versions: by the id of each message that was read, the version of its event.
    """
    held = [(each.version, _plain(each.text), _plain(_unsigned(each.text))) for each in recalled]
    kept: list[Candidate] = []
    dropped = list(extraction.dropped)
    for candidate in extraction.candidates:
        said_at = max(versions[source] for source in candidate.sources)
        before = [texts for version, *texts in held if version < said_at]
        if any(_repeats(candidate, texts) for texts in before):
            why = "It repeats what had been recalled from memory in this run."
            dropped.append(Dropped("recalled", why, candidate.text[:200], candidate.sources))
        else:
            kept.append(candidate)
    return replace(extraction, candidates=tuple(kept), dropped=tuple(dropped))


def _repeats(candidate: Candidate, texts: Sequence[str]) -> bool:
    said = _plain(_unsigned(candidate.solution))
    return said in texts or (len(said) >= LEAST_CHARACTERS and any(said in text for text in texts))


def _unsigned(statement: str) -> str:
    """A statement without the name of who made it, which differs when another one repeats it."""
    speaker, colon, said = statement.partition(": ")
    return said if colon and "\n" not in speaker and len(speaker) <= 40 else statement


def _plain(text: str) -> str:
    return " ".join(text.casefold().split())
