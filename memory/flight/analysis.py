"""Keeps up with runs: finds the causal links and hints of the events that were recorded since. Needs a tenant's scope.

Each event is read once, in order, by what the analysis remembers of the run before it, so one more event costs as much
in a long run as in a short one. Erased events tell nothing and are passed over, as is what retention has dropped.
"""

import secrets
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime

from memory import limits, models, sql
from memory.events import history
from memory.flight.hints.data import Hint
from memory.flight.hints.watch import STATE_VERSION, watch
from memory.flight.kept_pieces import KeptPieces
from memory.flight.links import Link, Linker
from memory.flight.trace import step_of
from memory.models.analysis import KEY_BYTES

# Counted up when rules for links change in such a way that what they found before should be found anew; those for hints
# count for themselves.
RULESET = f"1.{STATE_VERSION}"
# Events that are analysed in one transaction: who follows all events waits for it.
BATCH = 500
# Events that somebody who asks waits for; the worker does the rest.
AT_ONCE = 2000


@dataclass(frozen=True, slots=True)
class Progress:
    """The run is analysed up to event `analysed_to` of `version`."""

    analysed_to: int
    version: int

    @property
    def is_whole(self) -> bool:
        """Whether nothing is left to analyse."""
        return self.analysed_to >= self.version


def catch_up(stream: models.Stream, limit: int = AT_ONCE) -> Progress:
    """Analyse up to `limit` more events of a stream; whoever asks at the same time waits, and finds it done."""
    analysis = models.Analysis.objects.of(stream)
    if analysis and analysis.ruleset == RULESET and analysis.version >= stream.version:
        return Progress(analysis.version, stream.version)
    sql.run("hold_stream", {"stream_id": stream.pk})
    analysis = _locked(stream)
    last = min(stream.version, analysis.version + limit)
    if analysis.version < last:
        _analyse(stream, analysis, last)
    return Progress(analysis.version, stream.version)


def progress(stream: models.Stream) -> Progress:
    """How far a stream is analysed."""
    analysis = models.Analysis.objects.of(stream)
    done = analysis.version if analysis and analysis.ruleset == RULESET else 0
    return Progress(done, stream.version)


def _locked(stream: models.Stream) -> models.Analysis:
    """The stream's analysis by the rules of today, nobody else's until the transaction ends."""
    models.Analysis.objects.lock(stream)
    analysis = models.Analysis.objects.of(stream)
    if analysis and analysis.ruleset == RULESET:
        return analysis
    models.Analysis.objects.forget(stream)
    owned = {"tenant_id": stream.tenant_id, "stream": stream}
    key = secrets.token_bytes(KEY_BYTES)
    return models.Analysis.objects.create(**owned, ruleset=RULESET, key=key, analysed_at=datetime.now(UTC))


def _analyse(stream: models.Stream, analysis: models.Analysis, last: int) -> None:
    linker, seen = Linker(analysis.linker, bytes(analysis.key)), KeptPieces(stream)
    watching = watch(analysis.watch, limits.names("ARES_HINTS_OFF"))
    links: list[Link] = []
    hints: list[Hint] = []
    for event in _events(stream, analysis.version + 1, last):
        step = step_of(event)
        links += linker.add(step, seen)
        hints += watching.add(step)
    seen.write()
    _write(stream, links, hints)
    analysis.version, analysis.analysed_at = last, datetime.now(UTC)
    analysis.linker, analysis.watch = linker.state(), watching.state()
    analysis.save(update_fields=["version", "analysed_at", "linker", "watch"])


def _events(stream: models.Stream, first: int, last: int) -> Iterator[models.Event]:
    """The events that tell something."""
    gone = history.dropped(stream)
    first = max(first, gone.first_version if gone else 1)
    for event in history.walk(stream, first, last):
        if not event.is_erased:
            yield event


def _write(stream: models.Stream, links: list[Link], hints: list[Hint]) -> None:
    owned = {"tenant_id": stream.tenant_id, "stream": stream}
    models.CausalLink.objects.bulk_create(
        models.CausalLink(
            **owned, cause=link.cause, effect=link.effect, kind=link.kind, certainty=link.certainty, how=link.how
        )
        for link in links
    )
    newest = {(hint.version, hint.rule): hint for hint in hints}
    found_at = datetime.now(UTC)
    models.Hint.objects.bulk_create(
        [
            models.Hint(
                **owned,
                rule=hint.rule,
                severity=hint.severity,
                version=hint.version,
                evidence=list(hint.evidence),
                first_evidence=min(hint.version, *hint.evidence),
                sentence=hint.sentence,
                tokens_before=hint.tokens_before,
                found_at=found_at,
            )
            for hint in newest.values()
        ],
        update_conflicts=True,
        unique_fields=["tenant", "stream", "version", "rule"],
        update_fields=["severity", "evidence", "first_evidence", "sentence", "tokens_before"],
    )
