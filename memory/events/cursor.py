"""Every stream of a tenant in one order, with nothing skipped and nothing twice.

Positions are drawn before transactions commit, so a reader that remembers only the last position misses what commits
late. The cursor is the pair (transaction id, position), ordered by both, and reading stops before the oldest
transaction that is still running: whatever commits later has a larger pair than everything read so far.
"""

import re
from dataclasses import dataclass

from memory import sql
from memory.errors import Invalid
from memory.events import history
from memory.models.event import Event

_FORM = re.compile(r"(\d{1,19})-(\d{1,19})", re.ASCII)
MOST = 2**63 - 1


@dataclass(frozen=True, slots=True)
class Cursor:
    """A place in the order of all events, behind the event with this transaction id and position."""

    transaction_id: int = 0
    position: int = 0

    def __str__(self) -> str:
        return f"{self.transaction_id}-{self.position}"

    @classmethod
    def parse(cls, text: str) -> "Cursor":
        """The cursor that a client sends back; the beginning for an empty text.

        Raises:
            Invalid: the text is no cursor.
        """
        if not text:
            return cls()
        match = _FORM.fullmatch(text)
        pair = (int(match[1]), int(match[2])) if match else (MOST + 1, 0)
        if max(pair) > MOST:
            raise Invalid(f"{text[:50]!r} is not a cursor: send back what `next` or `cursor` held, or nothing.")
        return cls(*pair)

    @classmethod
    def behind(cls, event: Event) -> "Cursor":
        """The place behind an event."""
        return cls(event.transaction_id, event.position)


def read_all(after: Cursor, limit: int) -> list[Event]:
    """The next `limit` settled events of the tenant in the cursor's order, each with its stream.

    Archived events come in their place; those that retention has dropped are passed over.
    """
    settled: int = sql.run("settled_before", {})[0][0]
    start = (after.transaction_id, after.position)
    behind = Event.objects.of_transactions_before(settled).behind(*start)
    hot = list(behind.select_related("stream")[:limit])
    end = history.place(hot[-1]) if len(hot) == limit else (settled, 0)
    cold = history.cold_in_order(start, end, limit)
    if not cold:
        return hot
    moved = {event.position for event in cold}
    return sorted([*cold, *(event for event in hot if event.position not in moved)], key=history.place)[:limit]
