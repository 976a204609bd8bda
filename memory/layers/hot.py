"""The newest messages of sessions that are being worked in, kept in this process, and what their whole history takes.

Messages are only ever added to a session, and the session's row counts them: what is kept up to the same count is all
there is, whichever process added it, and what is kept up to a smaller one lacks only what is behind. Sessions are found
by their row first, so what was deleted or belongs to another tenant is not found here either. Nothing is kept that was
read in a transaction which was not committed.
"""

from collections import OrderedDict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from itertools import islice
from threading import Lock

from django.db import transaction

from memory.layers import shapes
from memory.layers.shapes import Line
from memory.models import Message, Session
from memory.vocabulary import Shape

# Sessions kept in one process, and of each the newest messages up to so many and about so many tokens.
MOST_SESSIONS = 256
MOST_LINES = 100
MOST_TOKENS = 20_000
# So many more messages are looked at than asked for, to find the call of a result that stands at the beginning.
READ_AHEAD = 64


class Cached(StrEnum):
    """How far the cache helped: all was there, only what is new was read, or everything was."""

    HIT = "hit"
    EXTENDED = "extended"
    MISS = "miss"


@dataclass(frozen=True, slots=True)
class History:
    """A session's messages up to `count`: the newest of them, the oldest first, and the tokens of all by shape."""

    count: int
    raw: Mapping[Shape, int]
    newest: tuple[Line, ...]


_kept: OrderedDict[tuple[int, str, str], History] = OrderedDict()
_lock = Lock()


def history(session: Session, most: int, vocabulary: str) -> tuple[History, Cached]:
    """The session's history with at least its newest `most` messages. Needs a tenant's scope.

    Args:
        vocabulary: what tokens are counted with.
    """
    key = (session.tenant_id, session.pk, vocabulary)
    with _lock:
        known = _kept.get(key)
        if known is not None:
            _kept.move_to_end(key)
    if known is None or known.count > session.message_count:
        cached, known = Cached.MISS, History(0, dict.fromkeys(Shape, 0), ())
    else:
        cached = Cached.HIT if known.count == session.message_count else Cached.EXTENDED
    if cached != Cached.HIT:
        known = _extended(known, session, vocabulary)
        transaction.on_commit(lambda: _keep(key, known))
    if len(known.newest) < min(most, known.count):
        return History(known.count, known.raw, tuple(_lines_before_end(session, most, vocabulary))), Cached.MISS
    return known, cached


def drop(session_id: str) -> None:
    """Keep nothing of this session in this process any more; in others nobody finds it, and it makes room in time."""
    with _lock:
        for key in [key for key in _kept if key[1] == session_id]:
            del _kept[key]


def forget() -> None:
    """Keep nothing any more."""
    with _lock:
        _kept.clear()


def _extended(known: History, session: Session, vocabulary: str) -> History:
    """With the messages behind what is known, each of which is counted once."""
    rows = Message.objects.in_session(session).filter(number__gt=known.count, number__lte=session.message_count)
    raw, newest = dict(known.raw), list(known.newest)
    for line in _lines(rows.iterator(chunk_size=500), vocabulary):
        for shape in Shape:
            raw[shape] += line.tokens[shape]
        newest.append(line)
        if len(newest) > MOST_LINES * 2:
            del newest[:-MOST_LINES]
    return History(session.message_count, raw, _bounded(newest))


def _bounded(lines: list[Line]) -> tuple[Line, ...]:
    """The newest that fit into what is kept of one session."""
    room, kept = MOST_TOKENS, 0
    for line in islice(reversed(lines), MOST_LINES):
        room -= line.tokens[Shape.MESSAGES]
        if room < 0:
            break
        kept += 1
    return tuple(lines[len(lines) - kept :])


def _lines_before_end(session: Session, most: int, vocabulary: str) -> list[Line]:
    rows = Message.objects.in_session(session).filter(number__lte=session.message_count).reverse()
    return list(_lines(rows[: most + READ_AHEAD], vocabulary))[::-1]


def _lines(rows: Iterable[Message], vocabulary: str) -> Iterable[Line]:
    for row in rows:
        yield Line(
            row.pk, row.event_version, row.number, row.role, row.name, row.content, row.tool_calls, row.tool_call_id,
            shapes.tokens_of(row.role, row.name, row.content, row.tool_calls, vocabulary),
        )  # fmt: skip


def _keep(key: tuple[int, str, str], known: History) -> None:
    with _lock:
        older = _kept.get(key)
        if older is None or older.count <= known.count:
            _kept[key] = known
            _kept.move_to_end(key)
        while len(_kept) > MOST_SESSIONS:
            _kept.popitem(last=False)


def clear() -> None:
    """Keep nothing any more."""
    with _lock:
        _kept.clear()
