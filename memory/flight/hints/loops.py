"""Running in circles: the same call with the same answer, retries that change nothing, two states in turn. Pure."""

import re
from collections.abc import Callable, Iterator
from itertools import pairwise, takewhile
from typing import Any

from memory.flight.hints.data import Found, Kind, Memory, Move, Place, Scene, digest, keep
from memory.flight.hints.moves import users
from memory.flight.hints.wording import is_fleeting, named, ordinal
from memory.vocabulary import HintRule

# Calls and sayings in whose newest so many a loop is looked for.
WINDOW = 24
MOST_TOLD = 24
# In a row, and with others in between.
SAME_IN_A_ROW = 3
SAME_IN_WINDOW = 4
SAME_ERRORS = 2
SAME_FLEETING_ERRORS = 4
TURNS = 3
# Shorter sayings, like "Done.", may well be said again.
SHORTEST_SAYING = 40
_DIGITS = re.compile(r"\d+")
# What these ask for is meant to be asked again until it changes; what these report is the same each time.
_WAITS = re.compile(
    r"wait|sleep|poll|status|health|watch|progress|terminate|finish|submit|done|等待|状态", re.IGNORECASE
)


def circles(scene: Scene, memory: Memory) -> Iterator[Found]:
    """Calls with their results, compared with the newest ones before. A person's request begins anew."""
    if any(True for _ in users(scene)):
        memory.pop("pairs", None)
    for move in scene.moves:
        if move.kind is Kind.RETURNED and move.call:
            yield from _compare(move, scene, memory)
        elif move.kind in {Kind.SAID, Kind.ASKED} and len(move.text) >= SHORTEST_SAYING:
            yield from _said_again(move, scene.here, memory)


def _compare(move: Move, scene: Scene, memory: Memory) -> Iterator[Found]:
    entry = {
        "pair": digest(move.call, move.text), "call": move.call, "tool": move.tool, "called": move.called_at or 0,
        "version": scene.here.version, "tokens": scene.here.tokens, "error": _error(scene),
    }  # fmt: skip
    pairs = keep(memory, "pairs", entry, WINDOW)
    found = _alternation(pairs)
    if found is None and not _WAITS.search(move.tool):
        found = _retries(pairs, scene) if scene.step.is_error else _repetition(pairs)
    if found:
        states = {pairs[-1]["pair"], pairs[-2]["pair"]} if found.rule is HintRule.ALTERNATION else {pairs[-1]["pair"]}
        if _is_new(memory, found.rule, *sorted(states)):
            yield found


def _error(scene: Scene) -> str:
    """An error by its words: its numbers change with the arguments."""
    error = scene.step.error or scene.step.text
    return digest(_DIGITS.sub("", error[:1000])) if scene.step.is_error else ""


def _retries(pairs: list[dict[str, Any]], scene: Scene) -> Found | None:
    """The same error for the same call, or for one call of a tool after the other; each was made after the one before
    had failed."""
    failures = _in_a_row(pairs, lambda each: (each["tool"], each["error"]))
    row = _in_a_row(pairs, lambda each: each["pair"])
    if is_fleeting(scene.step.error or scene.step.text):
        shown = row if len(row) >= SAME_FLEETING_ERRORS else []
    else:
        shown = row if len(row) >= SAME_ERRORS else failures if len(failures) >= SAME_IN_A_ROW else []
    if not shown or any(later["called"] < earlier["version"] for earlier, later in pairwise(shown)):
        return None
    kind = "the same as the one that had just failed, and" if shown is row else "another try, and"
    sentence = f"The {ordinal(len(shown))} call of {named(shown[0]['tool'])} was {kind} failed the same way."
    return _told(HintRule.FUTILE_RETRY, shown[1:], shown, sentence)


def _repetition(pairs: list[dict[str, Any]]) -> Found | None:
    row = _in_a_row(pairs, lambda each: each["pair"])
    same = [each for each in pairs if each["pair"] == pairs[-1]["pair"]]
    shown = row if len(row) >= SAME_IN_A_ROW else same if len(same) >= SAME_IN_WINDOW else []
    if not shown:
        return None
    return _told(
        HintRule.REPEATED_CALL,
        shown[1:],
        shown,
        f"{named(shown[0]['tool'])} was called the same way and answered the same for the {ordinal(len(shown))} time.",
    )


def _alternation(pairs: list[dict[str, Any]]) -> Found | None:
    """Two calls with their results that take turns, three times each."""
    newest = pairs[-2 * TURNS :]
    names = [each["pair"] for each in newest]
    if len(names) < 2 * TURNS or names[0] == names[1] or names != names[:2] * TURNS:
        return None
    first, second = (named(each["tool"]) for each in newest[:2])
    sentence = f"The run goes to and fro between two states: {first} and {second}, with the same results each time."
    return _told(HintRule.ALTERNATION, newest[2:], newest, sentence)


def _said_again(move: Move, here: Place, memory: Memory) -> Iterator[Found]:
    """The same words of the same speaker for the third time."""
    entry: dict[str, Any] = {"said": digest(move.speaker, move.text), "version": here.version, "tokens": here.tokens}
    same = [each for each in keep(memory, "sayings", entry, WINDOW) if each["said"] == entry["said"]]
    if len(same) >= SAME_IN_A_ROW and _is_new(memory, HintRule.REPEATED_CALL, entry["said"]):
        who = move.speaker[:80] or "Somebody"
        sentence = f"{who} said the very same for the {ordinal(len(same))} time."
        yield _told(HintRule.REPEATED_CALL, same[1:], same, sentence)


def _in_a_row(pairs: list[dict[str, Any]], key: Callable[[dict[str, Any]], Any]) -> list[dict[str, Any]]:
    """The newest ones that are the same by this key, the oldest first."""
    newest = key(pairs[-1])
    return list(takewhile(lambda each: key(each) == newest, reversed(pairs)))[::-1]


def _told(rule: HintRule, suspicious: list[dict[str, Any]], shown: list[dict[str, Any]], sentence: str) -> Found:
    """The first repetition is what went wrong: the first time was none yet."""
    at = Place(suspicious[0]["version"], suspicious[0]["tokens"])
    return Found(rule, at, tuple(each["version"] for each in shown), sentence)


def _is_new(memory: Memory, *what: str) -> bool:
    """Whether this was not told yet, or so long ago that it is forgotten."""
    name = digest(*what)
    if name in memory.get("told", ()):
        return False
    keep(memory, "told", name, MOST_TOLD)
    return True
