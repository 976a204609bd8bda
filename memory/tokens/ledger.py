"""The token ledger: an entry for each event that says something of tokens, written in the same transaction as the
event.

An entry is made once for each event: an event that is sent again is not recorded again, and has no second entry. Needs
a tenant's scope.
"""

from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from typing import NamedTuple

from memory import sql
from memory.events import history, recalled
from memory.models import Event, LedgerEntry, Stream
from memory.tokens import pricing
from memory.tokens.entries import Entry, entry
from memory.vocabulary import LedgerKind

# How many events are read, and so how many entries written at most, at a time when a ledger is made again.
REBUILD_BATCH = 1000


# Entries that tell which model a stream works with.
NAMING_KINDS = (LedgerKind.CALL, LedgerKind.REQUEST)


class Known(NamedTuple):
    """What a stream's requests say to their answers: model, and our count of what was sent."""

    model: str
    counted_tokens: int | None


def keep(stream: Stream, events: Sequence[Event]) -> None:
    """Keep the entries of a stream's new events."""
    made = [found for found in map(entry, events) if found is not None]
    if not made:
        return
    requests = _recorded_requests(stream, made)
    model = _last_model(stream) if any(_lacks_model(each) for each in made) else ""
    rows = []
    for each in made:
        row = _row(stream, each, requests, model)
        if each.kind in NAMING_KINDS:
            model = row.model or model
        if each.request_key:
            requests[each.request_key] = Known(each.model, each.counted_tokens)
        rows.append(row)
    LedgerEntry.objects.bulk_create(rows)


def rebuild(stream: Stream) -> int:
    """Make a stream's entries again from its events, and the recollections among them; returns how many entries there
    are. Nothing is appended meanwhile."""
    sql.run("lock_stream", {"name": stream.name})
    gone = history.dropped(stream)
    first = gone.first_version if gone else 1  # entries of events that retention has dropped cannot be made again
    LedgerEntry.objects.filter(stream=stream, version__gte=first).delete()
    for batch in _batches(stream, first):
        keep(stream, batch)
        recalled.keep(stream, batch)
    return LedgerEntry.objects.filter(stream=stream).count()


def _batches(stream: Stream, first: int) -> Iterator[list[Event]]:
    while batch := history.read(stream, first, first + REBUILD_BATCH - 1):
        yield batch
        first = batch[-1].version + 1


def _row(stream: Stream, made: Entry, requests: Mapping[str, Known], last_model: str) -> LedgerEntry:
    request = next((requests[key] for key in made.request_keys if key in requests), Known("", None))
    model = made.model or request.model or (last_model if _lacks_model(made) else "")
    is_call = made.kind == LedgerKind.CALL
    counted = made.counted_tokens
    if is_call and counted is None:
        counted = request.counted_tokens
    given = made.input_tokens if made.is_reported else (counted or 0 if is_call else 0)
    raw, sent = (given, given) if is_call else (made.raw_tokens, made.sent_tokens)
    return LedgerEntry(
        tenant_id=stream.tenant_id,
        stream=stream,
        version=made.version,
        kind=made.kind,
        method=made.method,
        model=model,
        occurred_at=made.occurred_at,
        raw_tokens=raw,
        sent_tokens=sent,
        saved_tokens=raw - sent,
        input_tokens=given,
        cached_tokens=made.cached_tokens,
        output_tokens=made.output_tokens,
        reasoning_tokens=made.reasoning_tokens,
        is_reported=made.is_reported,
        counted_tokens=counted,
        cost=_cost(made, model, given) if is_call else None,
        saved_cost=pricing.worth(model, made.occurred_at, raw_tokens=raw, sent_tokens=sent)
        if made.kind == LedgerKind.CONTEXT
        else None,
        request_key=made.request_key,
    )


def _cost(made: Entry, model: str, given: int) -> Decimal | None:
    return pricing.cost(
        model,
        made.occurred_at,
        input_tokens=given,
        cached_input_tokens=made.cached_tokens,
        written_input_tokens=made.written_tokens,
        output_tokens=made.output_tokens,
    )


def _lacks_model(made: Entry) -> bool:
    return made.kind == LedgerKind.CONTEXT and not made.model


def _last_model(stream: Stream) -> str:
    """The model that was called last in the stream: the one that a context is for which names none."""
    named = LedgerEntry.objects.filter(stream=stream, kind__in=NAMING_KINDS).exclude(model="")
    return named.order_by("-version").values_list("model", flat=True).first() or ""


def _recorded_requests(stream: Stream, made: Sequence[Entry]) -> dict[str, Known]:
    """The requests recorded before that these entries may answer. Where several have one name, the newest."""
    asked: set[str] = set()
    here: set[str] = set()
    for each in made:
        asked |= {key for key in each.request_keys if key not in here}
        here.add(each.request_key)
    if not asked:
        return {}
    rows = LedgerEntry.objects.filter(stream=stream, request_key__in=asked).order_by("version")
    return {
        key: Known(model, counted) for key, model, counted in rows.values_list("request_key", "model", "counted_tokens")
    }
