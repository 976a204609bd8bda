"""Try again with other rules: past streams go through the refinery into a draft, which is compared with what is known
and accepted or dropped. Needs a tenant's scope."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from memory import conf, sql
from memory.distillation import requests, turns
from memory.errors import Conflict, Invalid
from memory.layers import distilled, revisions
from memory.models import Decision, Distillation, Experience, Source, Stream
from memory.tenancy import current_tenant_id
from memory.vocabulary import Action, ExperienceStatus, WorkStatus

# The settings that a try may change.
TRIED = frozenset({"ARES_NEW_BELOW", "ARES_CONFLICT_ABOVE", "ARES_REDUNDANT_ABOVE", "ARES_PRECISION_OVER_RECALL"})


@dataclass(frozen=True, slots=True)
class Difference:
    """What accepting a draft would change: experiences that come, that go, and pairs (now, then) that change."""

    added: list[Experience]
    gone: list[Experience]
    changed: list[tuple[Experience, Experience]]


def start(stream: Stream, rules: Mapping[str, Any], actor: str) -> Distillation:
    """Have a stream distilled into a draft with these settings in the place of the tenant's.

    Raises:
        Invalid: a setting is none of TRIED or its value is not what it must be.
    """
    unknown = ", ".join(sorted(set(rules) - TRIED))
    if unknown:
        raise Invalid(f"These cannot be tried: {unknown[:200]}. There are: {', '.join(sorted(TRIED))}.")
    parsed = {name: conf.SETTINGS[name].parse(str(value)) for name, value in rules.items()}
    return requests.of_stream(stream, actor, draft=True, rules=parsed, reason="A try with other rules.")


def drafted(distillation: Distillation) -> list[Experience]:
    """What a draft came to."""
    return list(Experience.objects.filter(metadata__draft_of=distillation.pk).order_by("created_at", "pk"))


def difference(distillation: Distillation) -> Difference:
    """A draft beside what is known from the same stream: by text, then by the messages that they rest on."""
    new = drafted(distillation)
    rests_on = {each.pk: _draft_sources(each, distillation) for each in new}
    known = list(
        Experience.objects.filter(sources__stream_name=distillation.stream_name)
        .filter(status__in=(ExperienceStatus.ACTIVE, ExperienceStatus.QUARANTINED))
        .distinct()
        .order_by("created_at", "pk")
    )
    held = {each.pk: _sources(each, distillation.stream_name) for each in known}
    texts = {(each.user_id, each.kind, each.text) for each in known}
    same = {(each.user_id, each.kind, each.text) for each in new} & texts
    fresh = [each for each in new if (each.user_id, each.kind, each.text) not in same]
    left = [each for each in known if (each.user_id, each.kind, each.text) not in same]
    changed = []
    for draft in list(fresh):
        twin = next((each for each in left if each.kind == draft.kind and held[each.pk] & rests_on[draft.pk]), None)
        if twin is not None:
            changed.append((twin, draft))
            fresh.remove(draft)
            left.remove(twin)
    # What rests on other conversations as well is not this one's to take away.
    gone = [
        each
        for each in left
        if not Source.objects.filter(experience=each).exclude(stream_name=distillation.stream_name).exists()
    ]
    return Difference(fresh, gone, changed)


def accept(distillation: Distillation, actor: str) -> Difference:
    """Let a draft take the place of what is known from its stream: what goes is archived, what changes keeps its id.

    Raises:
        Conflict: it is no completed draft.
    """
    _check(distillation)
    sql.run("lock_memory", {})
    told = difference(distillation)
    now = datetime.now(UTC)
    reason = f"Draft {distillation.pk} was accepted."
    for experience in told.gone:
        gone = {"status": ExperienceStatus.ARCHIVED}
        revisions.change(distilled.lock(experience.pk), gone, "redistil", actor, reason, now)
    for current, draft in told.changed:
        fields = ("problem", "solution", "language", "entities", "subject", "value", "confidence", "importance")
        values = {name: getattr(draft, name) for name in fields}
        revisions.change(distilled.lock(current.pk), values, "redistil", actor, reason, now)
        _add_sources(current, draft, distillation)
    for draft in told.added:
        status = ExperienceStatus.QUARANTINED if draft.metadata.get("quarantine") else ExperienceStatus.ACTIVE
        metadata = {name: value for name, value in draft.metadata.items() if name != "draft_of"}
        Experience.objects.filter(pk=draft.pk).update(metadata=metadata)
        draft.metadata = metadata
        revisions.change(draft, {"status": status}, "redistil", actor, reason, now)
        _add_sources(draft, draft, distillation)
    distilled.remove([each.pk for each in drafted(distillation)])
    Distillation.objects.filter(pk=distillation.pk).update(draft=False, reason="A try with other rules, accepted.")
    return told


def drop(distillation: Distillation) -> dict[str, int]:
    """Throw a draft away; returns how many rows went, by table.

    Raises:
        Conflict: it is no completed draft.
    """
    _check(distillation)
    rows = distilled.remove([each.pk for each in drafted(distillation)])
    rows["decisions"] += Decision.objects.filter(distillation=distillation).delete()[0]
    rows["distillations"] = distillation.delete()[0]
    return rows


def _check(distillation: Distillation) -> None:
    if not distillation.draft or distillation.status not in (WorkStatus.COMPLETED, WorkStatus.FAILED):
        raise Conflict(f"Distillation {distillation.pk} is no draft that is ready.")


def _decisions(experience: Experience, distillation: Distillation) -> Sequence[Decision]:
    made = Decision.objects.filter(distillation=distillation, experience=experience)
    return list(made.exclude(action=Action.DISCARD, rule="unsure"))


def _draft_sources(experience: Experience, distillation: Distillation) -> set[str]:
    return {source for made in _decisions(experience, distillation) for source in made.candidate.get("sources", ())}


def _sources(experience: Experience, stream_name: str) -> set[str]:
    return set(
        Source.objects.filter(experience=experience, stream_name=stream_name).values_list("message_id", flat=True)
    )


def _add_sources(experience: Experience, draft: Experience, distillation: Distillation) -> None:
    stream = Stream.objects.named(distillation.stream_name)
    versions = {turn.id: turn.version for turn in turns.of_stream(stream)}
    rows = [
        Source(
            tenant_id=current_tenant_id(),
            experience=experience,
            distillation_id=distillation.pk,
            stream_name=stream.name,
            event_version=versions[source],
            message_id=source,
            created_at=datetime.now(UTC),
        )
        for source in sorted(_draft_sources(draft, distillation))
        if source in versions
    ]
    Source.objects.bulk_create(rows, ignore_conflicts=True)
