"""Extract: from the messages of a stream to candidates for memory, without any model. Pure."""

import re
from collections.abc import Iterator, Sequence, Set
from dataclasses import replace

from memory.distillation import claims, direct, exchanges, problem
from memory.distillation.data import Candidate, Dropped, Extraction, Rules, Turn
from memory.distillation.exchanges import Exchange
from memory.redact import redact
from memory.vocabulary import RECALL_BEGIN, RECALL_END, MessageRole

# Of a longer message, the beginning and the end are read: there stand the request and the error.
MOST_CHARACTERS = 20_000
TAIL_CHARACTERS = 4_000
_RECALLED = re.compile(rf"{re.escape(RECALL_BEGIN)}.*?(?:{re.escape(RECALL_END)}|\Z)", re.DOTALL)
_APOSTROPHE = re.compile(r"(?<=[A-Za-z])’(?=[A-Za-z])")
# Longer runs of blanks and of empty lines say no more, and some patterns would go over them again and again.
_BLANKS = re.compile(r"[^\S\n]{80,}")
_EMPTY_LINES = re.compile(r"(?:[^\S\n]*\n){4,}")
# What cannot be seen tells nothing, and marks of direction make a text look like another one to whoever judges it.
_UNPRINTABLE = re.compile(
    r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\u00ad\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff\ufffe\uffff\ud800-\udfff]"
)


def extract(turns: Sequence[Turn], rules: Rules, *, failed: bool = False) -> Extraction:
    """The candidates in a conversation and what was let go, each in the order of its messages.

    What aresweb itself had put in front of the model is not read, and secrets are taken out before anything else. The
    same messages give the same candidates, each text once.

    Args:
        failed: the run that the conversation belongs to came to no good end: what was done in it is no solution.
    """
    read = [readable(turn) for turn in turns]
    cut = exchanges.cut(read) if any(turn.role == MessageRole.ASSISTANT for turn in read) else []
    found = list(_solutions(cut, rules, failed=failed))
    answered = {source for each in found if isinstance(each, Candidate) for source in each.sources}
    told = {source for each in found for source in each.sources}
    found += [
        each
        for each in _claims(read, answered, among_people=not cut)
        if isinstance(each, Candidate) or not told.issuperset(each.sources)
    ]
    kept: dict[tuple[str, str, str], Candidate] = {}
    dropped = []
    for each in found:
        if isinstance(each, Dropped):
            dropped.append(each)
        elif each.confidence < rules.least_confidence:
            why = f"Its confidence, {each.confidence:.2f}, is below {rules.least_confidence:.2f}."
            dropped.append(Dropped("unsure", why, each.text[:200], each.sources))
        else:
            key = (each.kind, each.problem, each.solution)
            again = kept.get(key)
            kept[key] = replace(again, sources=(*again.sources, *each.sources)) if again else each
    return Extraction(tuple(kept.values()), tuple(dropped), len(cut))


def readable(turn: Turn) -> Turn:
    """The turn as it may be learned from: bounded, without what was recalled, without secrets."""
    text = _RECALLED.sub("", turn.text)
    if len(text) > MOST_CHARACTERS + TAIL_CHARACTERS:
        text = f"{text[:MOST_CHARACTERS]}\n…\n{text[-TAIL_CHARACTERS:]}"
    calls = tuple(
        replace(call, name=_clean(call.name), arguments=_clean(call.arguments[:MOST_CHARACTERS]))
        for call in turn.tool_calls
    )
    return replace(turn, text=_clean(text), name=_clean(turn.name), tool_calls=calls)


def _clean(text: str) -> str:
    text = _APOSTROPHE.sub("'", text)
    bare = _EMPTY_LINES.sub("\n\n\n", _BLANKS.sub(" " * 80, _UNPRINTABLE.sub("", text)))
    return redact(bare)[0] if bare else ""


def _solutions(cut: Sequence[Exchange], rules: Rules, *, failed: bool) -> Iterator[Candidate | Dropped]:
    """What the exchanges teach in which somebody wants something; a request that points back is told with what it
    points at."""
    about = None
    for exchange in cut:
        if not (problem.is_stated(exchange.asks) or any(turn.tool_calls for turn in exchange.turns)):
            continue
        points_back = problem.points_back(exchange.asks)
        yield direct.candidate(exchange, rules, failed=failed, about=about if points_back else None)
        if not points_back:
            about = direct.answering(exchange)


def _claims(turns: Sequence[Turn], answered: Set[str], *, among_people: bool) -> Iterator[Candidate | Dropped]:
    before = None
    names = {turn.name for turn in turns if turn.name}
    for turn in turns:
        if turn.role not in (MessageRole.SYSTEM, MessageRole.TOOL, MessageRole.ASSISTANT):
            if among_people:
                yield from claims.among_people(turn, before, names - {turn.name})
            else:
                yield from claims.to_assistant(turn, answered=turn.id in answered)
        before = turn
