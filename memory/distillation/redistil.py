"""Try again with other rules: past streams go through the refinery into a draft, which is compared with what is known
and accepted or dropped. Needs a tenant's scope."""

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any

import numpy as np
import numpy.typing as npt
from django.db.models import Min

from memory import conf, queue, sql
from memory.distillation import pipeline, requests, turns
from memory.distillation.apply import Writer, candidate_of
from memory.distillation.data import Candidate, Turn
from memory.distillation.merge import merged
from memory.distillation.pipeline import LLM_MODEL
from memory.embedding.current import calibration_of, embedder
from memory.errors import Conflict, Invalid
from memory.events.draft import text
from memory.layers import distilled, revisions
from memory.models import Decision, Distillation, Experience, Source, Stream, Vector
from memory.tenancy import current_tenant_id
from memory.vocabulary import Action, Collection, ExperienceStatus, WorkStatus

# The settings that a try may change, beside the language model.
TRIED = frozenset({"ARES_NEW_BELOW", "ARES_CONFLICT_ABOVE", "ARES_REDUNDANT_ABOVE", "ARES_PRECISION_OVER_RECALL"})
MODEL_LENGTH = 200


@dataclass(frozen=True, slots=True)
class Difference:
    """What accepting a draft would change: experiences that come, that go, and pairs (now, then) that change.

    What rests on other conversations as well does not go, and changes only by what it gets.
    """

    added: list[Experience]
    gone: list[Experience]
    changed: list[tuple[Experience, Experience]]


def start(stream: Stream, rules: Mapping[str, Any], actor: str) -> Distillation:
    """Have a stream distilled into a draft with these settings, and this language model, in the place of the tenant's.

    Raises:
        Invalid: a setting is none of TRIED or its value is not what it must be, or there is no language model to ask.
    """
    unknown = ", ".join(sorted(set(rules) - TRIED - {LLM_MODEL}))
    if unknown:
        there_are = ", ".join(sorted(TRIED | {LLM_MODEL}))
        raise Invalid(f"These cannot be tried: {unknown[:200]}. There are: {there_are}.")
    parsed: dict[str, Any] = {name: conf.SETTINGS[name].parse(str(rules[name])) for name in sorted(TRIED & set(rules))}
    if LLM_MODEL in rules:
        parsed[LLM_MODEL] = text(rules[LLM_MODEL], LLM_MODEL, MODEL_LENGTH)
        if not conf.text("ARES_LLM_URL"):
            raise Invalid("No language model can be tried: ARES_LLM_URL is not set.")
    return requests.of_stream(stream, actor, draft=True, rules=parsed, reason="A try with other rules.")


def drafted(distillation: Distillation) -> list[Experience]:
    """What a draft came to, in the order in which it was decided."""
    made = Experience.objects.filter(metadata__draft_of=distillation.pk)
    return list(made.annotate(first=Min("decisions__number")).order_by("first", "pk"))


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
    shared = _shared(known, distillation.stream_name)
    texts = {(each.user_id, each.kind, each.text) for each in [*known, *_put_away(distillation.stream_name)]}
    same = {(each.user_id, each.kind, each.text) for each in new} & texts
    fresh = [each for each in new if (each.user_id, each.kind, each.text) not in same]
    left = [each for each in known if (each.user_id, each.kind, each.text) not in same]
    changed = []
    for draft in list(fresh):
        twins = (each for each in left if each.kind == draft.kind and held[each.pk] & rests_on[draft.pk])
        twin = next((each for each in twins if _waits(each) or not _waits(draft)), None)
        if twin is None:
            continue
        fresh.remove(draft)
        left.remove(twin)
        then = _joined(twin, draft) if twin.pk in shared else draft
        if then.text != twin.text:
            changed.append((twin, then))
    return Difference(fresh, [each for each in left if each.pk not in shared], changed)


def accept(distillation: Distillation, actor: str) -> Difference:
    """Let a draft take the place of what is known from its stream: what goes is archived, what changes keeps its id,
    and what comes is decided about like anything that is learned.

    Returns:
        The difference that it made.

    Raises:
        Conflict: it is no completed draft, or a changed text is another experience's.
    """
    sql.run("lock_memory", {})
    distillation = Distillation.objects.select_for_update().with_id(distillation.pk)
    _check(distillation, WorkStatus.COMPLETED)
    told = difference(distillation)
    now = datetime.now(UTC)
    reason = f"Draft {distillation.pk} was accepted."
    added = [_as_candidate(each, distillation) for each in told.added]
    sources = {current.pk: _draft_sources(draft, distillation) for current, draft in told.changed}
    read = turns.of_stream(Stream.objects.named(distillation.stream_name))
    distilled.remove([each.pk for each in drafted(distillation)])
    for experience in told.gone:
        gone = {"status": ExperienceStatus.ARCHIVED}
        revisions.change(distilled.lock(experience.pk), gone, "redistil", actor, reason, now)
    for current, draft in told.changed:
        fields = ("problem", "solution", "language", "entities", "subject", "value", "confidence", "importance")
        values = {name: getattr(draft, name) for name in fields}
        revisions.change(distilled.lock(current.pk), values, "redistil", actor, reason, now)
        _add_sources(current, sources[current.pk], read, distillation)
    distillation.draft, distillation.reason = False, "A try with other rules, accepted."
    distillation.save(update_fields=["draft", "reason"])
    model = embedder().model
    writer = Writer(
        distillation,
        {turn.id: turn for turn in read},
        pipeline.thresholds_of(distillation),
        model,
        calibration_of(model),
    )
    for candidate, vector in added:
        writer.decide(candidate, vector)
    touched = [*writer.experiences, *(current for current, _ in told.changed)]
    pipeline.record(distillation, [each.pk for each in touched], writer.actions)
    distilled.evict()
    return Difference(writer.experiences, told.gone, told.changed)


def drop(distillation: Distillation) -> dict[str, int]:
    """Throw a draft away; returns how many rows went, by table.

    Raises:
        Conflict: it is no completed draft.
    """
    _check(distillation, WorkStatus.COMPLETED, WorkStatus.FAILED)
    rows = distilled.remove([each.pk for each in drafted(distillation)])
    rows["queue_items"] += queue.forget([distillation.pk])
    rows["decisions"] += Decision.objects.filter(distillation=distillation).delete()[0]
    rows["distillations"] = distillation.delete()[0]
    return rows


def _waits(experience: Experience) -> bool:
    """Whether it has to wait for an operator of its own, as what may have been planted does: it takes over no text of
    what agents are given."""
    return bool(experience.metadata.get("quarantine")) and experience.status != ExperienceStatus.ACTIVE


def _check(distillation: Distillation, *statuses: WorkStatus) -> None:
    if not distillation.draft or distillation.status not in statuses:
        raise Conflict(f"Distillation {distillation.pk} is no draft that is ready.")


def _decisions(experience: Experience, distillation: Distillation) -> Sequence[Decision]:
    made = Decision.objects.filter(distillation=distillation, experience=experience)
    return list(made.exclude(action=Action.DISCARD, rule="unsure").order_by("number"))


def _draft_sources(experience: Experience, distillation: Distillation) -> set[str]:
    return {source for made in _decisions(experience, distillation) for source in made.candidate.get("sources", ())}


def _sources(experience: Experience, stream_name: str) -> set[str]:
    return set(
        Source.objects.filter(experience=experience, stream_name=stream_name).values_list("message_id", flat=True)
    )


def _put_away(stream_name: str) -> list[Experience]:
    """What is known from a stream and does not hold now: it is nothing new when it comes again."""
    away = (ExperienceStatus.SUPERSEDED, ExperienceStatus.ARCHIVED)
    return list(Experience.objects.filter(sources__stream_name=stream_name, status__in=away).distinct())


def _shared(experiences: Sequence[Experience], stream_name: str) -> set[str]:
    """The ids of those that rest on other streams too."""
    rows = Source.objects.filter(experience__in=experiences).exclude(stream_name=stream_name)
    return set(rows.values_list("experience_id", flat=True))


def _joined(known: Experience, draft: Experience) -> Experience:
    """The draft with the text of what is known before its own, as both together tell it."""
    problem, solution = merged(known.problem, known.solution, draft.problem, draft.solution)
    draft.problem, draft.solution = (problem, solution) if solution else (known.problem, known.solution)
    draft.confidence, draft.importance = known.confidence, known.importance
    draft.entities = list(dict.fromkeys([*known.entities, *draft.entities]))[:48]
    return draft


def _as_candidate(draft: Experience, distillation: Distillation) -> tuple[Candidate, npt.NDArray[np.float32]]:
    """What a draft came to, as a candidate again, with its vector."""
    first = _decisions(draft, distillation)[0]
    candidate = replace(
        candidate_of(first.candidate),
        problem=draft.problem,
        solution=draft.solution,
        entities=tuple(draft.entities),
        confidence=draft.confidence,
        importance=draft.importance,
        sources=tuple(sorted(_draft_sources(draft, distillation))),
    )
    model = embedder().model
    kept = Vector.objects.filter(collection=Collection.EXPERIENCE, item_id=draft.pk, model=model).first()
    if kept is None:
        raise Conflict(f"Draft {distillation.pk} was made with another embedding model. Drop it, and try again.")
    return candidate, np.asarray(kept.vector, np.float32)


def _add_sources(
    experience: Experience, message_ids: Set[str], read: Sequence[Turn], distillation: Distillation
) -> None:
    rows = [
        Source(
            tenant_id=current_tenant_id(),
            experience=experience,
            distillation_id=distillation.pk,
            stream_name=distillation.stream_name,
            event_version=turn.version,
            message_id=turn.id,
            created_at=datetime.now(UTC),
        )
        for turn in read
        if turn.id in message_ids
    ]
    Source.objects.bulk_create(rows, ignore_conflicts=True)
