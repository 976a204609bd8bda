"""Amounts of money that come from nowhere: reckoned in the head, or made up. Pure."""

import re
from collections.abc import Iterator, Sequence

from memory.flight.hints.data import Found, Kind, Memory, Move, Place, Scene
from memory.flight.hints.moves import written
from memory.flight.hints.wording import prose
from memory.flight.trace import Step
from memory.vocabulary import EventType, HintRule, MessageRole

# With more different numbers than these, some are forgotten, and nothing is said any more.
MOST_NUMBERS = 800
MOST_TEXT = 20_000
MOST_AMOUNTS = 60
LARGEST_FACTOR = 12
A_CENT = 0.011
# Money as it is written before or behind its number.
_MONEY = re.compile(
    r"(?:[$€£¥￥]|\b(?:USD|EUR|GBP|CNY|RMB|CHF)\s?)\s?(\d[\d,]*(?:\.\d+)?)"
    r"|(\d[\d,]*(?:\.\d+)?)\s?(?:[€£元]|美元|欧元|(?:dollars?|euros?|USD|EUR|CNY|RMB|CHF)\b)",
)
_NUMBER = re.compile(r"\d[\d,]*(?:\.\d+)?")
# What is only supposed, offered or asked for is no statement.
_SUPPOSED = re.compile(
    r"about|around|approx|roughly|estimate|up to|less than|more than|under|over|if|约|大概|左右|估计|如果"
)
_CLAUSE = 60


def unsupported_amounts(scene: Scene, memory: Memory) -> Iterator[Found]:
    """An amount of money in an answer that no earlier event holds, and that is no sum, difference or multiple of
    amounts which the answer itself names before it."""
    for text in _given(scene.step):
        _learn(text, memory)
    for move in scene.moves:
        match move.kind:
            case Kind.ASKED | Kind.RETURNED:
                memory["has_results"] = memory.get("has_results", False) or move.kind is Kind.RETURNED
                _learn(move.text, memory)
            case Kind.CALLED:
                _learn(written(move.arguments), memory)
            case Kind.SAID:
                yield from _check(move, scene.here, memory)
                _learn(move.text, memory)


def _given(step: Step) -> Iterator[str]:
    """What stands before an agent besides what it hears and finds: its instructions, its task and its memories."""
    is_instruction = step.type == EventType.MESSAGE_ADDED and step.role == MessageRole.SYSTEM
    if is_instruction or step.type == EventType.TASK_CREATED:
        yield step.text
    elif step.type == EventType.MEMORY_RECALLED:
        yield written(step.payload.get("results"))
    elif step.is_prompt:
        # The rest of a prompt was said or found before; a run that records prompts alone is known by their ends.
        yield from (given.text for given in (*step.given[:1], *step.given[-3:]))
        yield step.text


def _learn(text: str, memory: Memory) -> None:
    known: list[float] = memory.setdefault("numbers", [])
    there = set(known)
    known += [number for number in dict.fromkeys(_numbers(text)) if number not in there]
    if len(known) > MOST_NUMBERS:
        memory["forgets"] = True
        del known[:-MOST_NUMBERS]


def _numbers(text: str) -> Iterator[float]:
    return (_value(found) for found in _NUMBER.findall(text[:MOST_TEXT]))


def _value(text: str) -> float:
    return float(text.replace(",", "")[:18])


def _check(move: Move, here: Place, memory: Memory) -> Iterator[Found]:
    # Where no tool answers, amounts come from what agents see and say, and nothing tells which of it is a source.
    if memory.get("forgets") or not memory.get("has_results"):
        return
    known = set(memory["numbers"])
    before: list[float] = []
    text = prose(move.text[:MOST_TEXT])
    for found in list(_MONEY.finditer(text))[:MOST_AMOUNTS]:
        amount = _value(found[1] or found[2])
        clause = text[max(0, found.start() - _CLAUSE) : found.start()].lower()
        if amount not in known and not _is_reckoned(amount, before) and not _SUPPOSED.search(clause):
            sentence = (
                f"The answer names the amount {found[0].strip()}, which nothing before it holds and it does not reckon."
            )
            yield Found(HintRule.UNSUPPORTED_AMOUNT, here, (here.version,), sentence)
            return
        before.append(amount)


def _is_reckoned(amount: float, before: Sequence[float]) -> bool:
    """Whether an amount follows from those named right before it."""
    newest = before[-12:]
    sums = (sum(newest[start:end]) for end in range(len(newest), 1, -1) for start in range(end - 1))
    differences = (abs(one - other) for place, one in enumerate(newest) for other in newest[place + 1 :])
    multiples = (one * factor for one in newest for factor in range(2, LARGEST_FACTOR + 1))
    return any(abs(each - amount) < A_CENT for group in (sums, differences, multiples) for each in group)
