"""What the agents of a run said and did, turn by turn, with the signs that speak for and against each turn. Pure.

The signs are general ones: none looks for an agent, a tool, a task or a system by name.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from math import log

from memory.flight.hints import moves
from memory.flight.hints.data import Kind, Memory, Move
from memory.flight.trace import Step

# Longer texts are read at their beginnings; that an answer rests on something is looked for in the final one's end.
MOST_TEXT = 8_000
FINAL_TEXT = 1_500
FINAL_LEAST = 60
MOST_VALUES = 60
# A remark like "Next speaker: Ann" decides nothing.
SHORTEST_TURN = 25


class Part(StrEnum):
    """What a turn is in the course of a run."""

    GOAL = "goal"
    OUTPUT = "output"
    NOTE = "note"
    THOUGHT = "thought"
    ORDER = "order"
    CODE = "code"
    EVIDENCE = "evidence"
    CLAIM = "claim"


class Sign(StrEnum):
    """What can be seen in a turn; `memory.flight.suspects` weighs them."""

    IS_OUTPUT = "output"
    IS_NOTE = "note"
    IS_EVIDENCE = "evidence"
    IS_CODE = "code"
    IS_CLAIM = "claim"
    LATE = "late"
    CODE_FAILED = "code_failed"
    ASSUMES = "assumes"
    CONCLUDES_FIRST = "concludes_first"
    INTRODUCES = "introduces"
    CLOSES = "closes"
    DIFFERS_FROM_GOAL = "differs_from_goal"


@dataclass(slots=True)
class Turn:
    """One turn: who, what, whether a machine said that it failed, and its signs with how strong each is, from 0."""

    version: int
    speaker: str
    part: Part = Part.NOTE
    text: str = ""
    failed: bool = False
    signs: dict[Sign, float] = field(default_factory=dict)


# What a machine answers that ran something, where it speaks as an agent does.
_OUTPUT = re.compile(
    r"\s*(?:exit ?code:|there is no code from|no code block|the script ran, then exited|traceback \(most recent"
    r"|execution (?:result|output)|退出码)",
    re.IGNORECASE,
)
_FAILED = re.compile(r"execution failed|traceback \(most recent|exit ?code: [1-9]", re.IGNORECASE)
_ROUTING = re.compile(r"\s*(?:next speaker|request satisfied|no agent selected)", re.IGNORECASE)
# `Planner (thought)`, `Planner (-> Coder)`: what is said beside the conversation, and what is said to one agent.
_ASIDE = re.compile(r"\((?:thought|plan|internal|termination)[^)]*\)\s*$", re.IGNORECASE)
_ADDRESSED = re.compile(r"\((?:->|→|to )[^)]*\)\s*$", re.IGNORECASE)
_ACTED = re.compile(
    r"\bI (?:typed|clicked|scrolled|opened|visited|navigated|downloaded|ran|searched|pressed|selected|executed|hovered)\b"
    r"|screenshot of|^Address: |我(?:点击|打开|搜索|访问|输入|执行)了",
    re.IGNORECASE,
)
_ASSUMES = re.compile(
    r"\bassum(?:e|ed|es|ing|ptions?)\b|hypothetical|placeholder|\bmock|simulat|\bYOUR_|for (?:the sake of )?(?:demonstration"
    r"|illustration)|example\.com|sample (?:data|dataset|csv)|let's say|dummy|\btypical(?:ly)?\b|\bgenerally\b|X{4}|replace with"
    r"|假设|假定|模拟|占位|示例数据|一般来说",
    re.IGNORECASE,
)
_CONCLUDES = re.compile(
    r"\b(?:therefore|(?:in )?conclusion|final answer|thus|the (?:result|answer) is|as a result|so,? the)\b|因此|所以|结论|综上",
    re.IGNORECASE,
)
_CLOSES = re.compile(
    r"\bTERMINATE\b|\b(?:I|we) (?:also )?agree\b|conclude (?:the|this) (?:task|conversation)|confirmed by|request satisfied"
    r"|同意|任务结束|到此结束",
    re.IGNORECASE,
)
_VALUE = re.compile(r"\d[\d,.:]*\d|\d|\b[A-Z][\w'’-]+(?: [A-Z][\w'’-]+)*|[\u4e00-\u9fff]{2,6}")
_WORD = re.compile(r"[a-z0-9]{3,}|[\u4e00-\u9fff]{2}")
_HEADING = re.compile(r"^#+ .*$", re.MULTILINE)
# An order that holds less of its goal's words than this asks for something else.
LEAST_OF_GOAL = 0.5


def turns(steps: Sequence[Step]) -> list[Turn]:
    """The turns of a run, in order, with their signs. Reads every step once, and the turns twice."""
    told = list(_told(steps))
    _mark(told)
    return told


def is_group(steps: Sequence[Step]) -> bool:
    """Whether several agents speak with each other: agents have names of their own, and there are two or more."""
    return len({name_of(step.speaker) for step in steps if step.is_answer and step.speaker not in _PLAIN}) > 1 or any(
        step.is_answer and step.speaker not in _PLAIN and step.payload.get("name") for step in steps
    )


def name_of(speaker: str) -> str:
    """Who speaks, without what stands in brackets behind the name."""
    return re.sub(r"\s*\([^)]*\)\s*$", "", speaker)


_PLAIN = frozenset({"", "assistant", "user", "human", "system"})
_PEOPLE = frozenset({"user", "human"})


def _told(steps: Sequence[Step]) -> Iterator[Turn]:
    memory: Memory = {}
    group, speaker, is_first = is_group(steps), "", True
    for step in steps:
        for move in moves.read(step, memory):
            if move.kind not in {Kind.SAID, Kind.ASKED, Kind.RETURNED}:
                continue
            if move.kind is Kind.RETURNED:
                failed = step.is_error or bool(_FAILED.search(move.text[:3000]))
                yield Turn(step.version, name_of(speaker or step.speaker), Part.OUTPUT, move.text[:MOST_TEXT], failed)
                continue
            part = Part.GOAL if is_first else _part(move, group=group)
            is_first = False
            if part is not Part.OUTPUT and move.speaker.lower() not in _PEOPLE:
                speaker = move.speaker
            failed = part is Part.OUTPUT and bool(_FAILED.search(move.text[:3000]))
            yield Turn(step.version, name_of(move.speaker), part, move.text[:MOST_TEXT], failed)


def _part(move: Move, *, group: bool) -> Part:
    text = move.text
    if move.speaker.lower() in _PEOPLE or (move.kind is Kind.ASKED and not group):
        return Part.NOTE
    if _OUTPUT.match(text):
        return Part.OUTPUT
    if not move.asks and (len(text.strip()) < SHORTEST_TURN or _ROUTING.match(text)):
        return Part.NOTE
    if _ASIDE.search(move.speaker):
        return Part.THOUGHT
    if _ADDRESSED.search(move.speaker):
        return Part.ORDER
    if move.asks or "```" in text:
        return Part.CODE
    return Part.EVIDENCE if _ACTED.search(text[:400]) else Part.CLAIM


_BY_PART = {
    Part.OUTPUT: Sign.IS_OUTPUT,
    Part.NOTE: Sign.IS_NOTE,
    Part.EVIDENCE: Sign.IS_EVIDENCE,
    Part.CODE: Sign.IS_CODE,
    Part.CLAIM: Sign.IS_CLAIM,
}
_ACTS = frozenset({Part.CODE, Part.EVIDENCE, Part.CLAIM, Part.ORDER})
_SPEAKS = frozenset({Part.CODE, Part.CLAIM})
_SOURCES = frozenset({Part.CODE, Part.CLAIM, Part.EVIDENCE, Part.OUTPUT, Part.THOUGHT})


def _mark(told: list[Turn]) -> None:
    """Give every turn its signs."""
    rests_on = _rests_on(told)
    named: set[str] = set()
    acts, has_concluded = 0, False
    for place, turn in enumerate(told):
        signs = turn.signs
        if turn.part in _BY_PART:
            signs[_BY_PART[turn.part]] = 1.0
        if turn.part in _ACTS:
            signs[Sign.LATE] = log(1 + acts)
            acts += 1
        if turn.part is Part.CODE and place + 1 < len(told) and told[place + 1].failed:
            signs[Sign.CODE_FAILED] = 1.0
        if turn.part in _SPEAKS:
            signs[Sign.ASSUMES] = float(bool(_ASSUMES.search(turn.text)))
            signs[Sign.CLOSES] = float(bool(_CLOSES.search(turn.text)))
            if not has_concluded and _CONCLUDES.search(turn.text):
                signs[Sign.CONCLUDES_FIRST] = 1.0
                has_concluded = True
        if turn.part is Part.GOAL:
            signs[Sign.DIFFERS_FROM_GOAL] = float(_differs(turn.text))
        if rests_on and turn.part in _SOURCES:
            here = {value for value in rests_on if value in turn.text}
            if turn.part in _ACTS:
                signs[Sign.INTRODUCES] = len(here - named) / len(rests_on)
            named |= here


def _rests_on(told: Sequence[Turn]) -> set[str]:
    """The names and numbers of the final answer that the goal does not hold."""
    spoken = (turn for turn in reversed(told) if turn.part is not Part.OUTPUT and len(turn.text) > FINAL_LEAST)
    final = next(spoken, None)
    if final is None or final is told[0]:
        return set()
    values = dict.fromkeys(_VALUE.findall(final.text[-FINAL_TEXT:]))
    return set([value for value in values if value not in told[0].text][:MOST_VALUES])


def _differs(text: str) -> bool:
    """Whether a message in sections asks for other things under the later headings than under its first."""
    parts = [part for part in _HEADING.split(text.lower())[1:] if len(part.strip()) > SHORTEST_TURN]
    if len(parts) < 2:
        return False
    goal, order = set(_WORD.findall(parts[0])), set(_WORD.findall(" ".join(parts[1:])))
    return len(goal & order) < LEAST_OF_GOAL * len(goal)
