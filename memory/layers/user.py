"""Users of agents: not people who log in, but those whose conversations are recorded. Needs a tenant's scope."""

from collections import Counter
from datetime import UTC, datetime
from typing import Any

from memory.errors import NotFound
from memory.events import erasure
from memory.layers import session
from memory.models import IdempotencyKey, Session, Stream


def erase(user_id: str) -> dict[str, Any]:
    """Erase a user's content: the sessions, and the content of every other stream that is the user's.

    Returns:
        A receipt: `{user_id, erased_at, sessions, streams, rows}`, the last one counting what went.

    Raises:
        NotFound: the user has none.
    """
    sessions = list(Session.objects.filter(user_id=user_id).order_by("pk").values_list("pk", flat=True))
    rows: Counter[str] = Counter()
    for session_id in sessions:
        rows.update(session.erase(session_id)["rows"])
    streams = list(Stream.objects.filter(user_id=user_id).order_by("pk").select_for_update())
    for stream in streams:
        rows.update(_erase_stream(stream))
    if not sessions and not streams:
        raise NotFound(f"There is no content of user {user_id[:200]!r}.")
    return {
        "user_id": user_id,
        "erased_at": datetime.now(UTC),
        "sessions": sessions,
        "streams": [stream.name for stream in streams],
        "rows": dict(rows),
    }


def _erase_stream(stream: Stream) -> dict[str, int]:
    answers = IdempotencyKey.objects.filter(answer__contains=f'"stream":"{stream.name}"').delete()[0]
    return {"idempotency_keys": answers, **erasure.blank_stream(stream)}
