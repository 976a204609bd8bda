"""Extract: from the messages of a stream to candidates for memory, without any model. Pure."""

import re
from collections.abc import Iterator, Sequence, Set
from dataclasses import replace

from memory.distillation import claims, direct, exchanges, problem
from memory.distillation.data import Candidate, Dropped, Extraction, Rules, Turn
from memory.distillation.redact import redact
from memory.vocabulary import RECALL_BEGIN, RECALL_END, MessageRole

# Of a longer message, the beginning and the end are read: there stand the request and the error.
MOST_CHARACTERS = 20_000
TAIL_CHARACTERS = 4_000
_RECALLED = re.compile(rf"{re.escape(RECALL_BEGIN)}.*?(?:{re.escape(RECALL_END)}|\Z)", re.DOTALL)
_UNPRINTABLE = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff]")


def extract(turns: Sequence[Turn], rules: Rules, *, failed: bool = False) -> Extraction:
    """The candidates in a conversation and what was let go, each in the order of its messages.

    What aresweb itself had put in front of the model is not read, and secrets are taken out before anything else. The
    same messages give the same candidates, each text once.

    Args:
        failed: the run that the conversation belongs to came to no good end: what was done in it is no solution.
    """
    read = [readable(turn) for turn in turns]
    cut = exchanges.cut(read) if any(turn.role == MessageRole.ASSISTANT for turn in read) else []
    found: list[Candidate | Dropped] = [
        direct.candidate(exchange, rules, failed=failed)
        for exchange in cut
        if problem.is_stated(exchange.asks) or any(turn.tool_calls for turn in exchange.turns)
    ]
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
    text = redact(_UNPRINTABLE.sub("", text))[0]
    calls = tuple(
        replace(call, arguments=redact(_UNPRINTABLE.sub("", call.arguments[:MOST_CHARACTERS]))[0])
        for call in turn.tool_calls
    )
    return replace(turn, text=text, tool_calls=calls)


def _claims(turns: Sequence[Turn], answered: Set[str], *, among_people: bool) -> Iterator[Candidate | Dropped]:
    before = None
    for turn in turns:
        if turn.role not in (MessageRole.SYSTEM, MessageRole.TOOL, MessageRole.ASSISTANT):
            if among_people:
                yield from claims.among_people(turn, before)
            else:
                yield from claims.to_assistant(turn, answered=turn.id in answered)
        before = turn
