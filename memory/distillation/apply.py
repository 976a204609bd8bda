"""Decisions become rows: the writing half of update. Needs a tenant's scope, with its memory locked."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from typing import Any

import numpy as np
import numpy.typing as npt
from django.db import models
from django.db.models import Max

from memory.distillation.data import Candidate, Dropped, Turn
from memory.distillation.update import Neighbour, Thresholds, Verdict, decide
from memory.embedding.calibration import Calibration
from memory.layers import deletions, revisions
from memory.layers.distilled import DISTILLER
from memory.models import Decision, Distillation, Experience, Source
from memory.retrieval.filters import Filters
from memory.retrieval.vector import Item, VectorStore, text_digest
from memory.tenancy import current_tenant_id
from memory.vocabulary import (
    EXPERIENCE_PREFIX,
    Action,
    Collection,
    ExperienceStatus,
    Kind,
    Method,
    WorkStatus,
    new_id,
)

# So many nearest experiences are looked at; those beyond are farther than any threshold asks for.
NEAREST = 8
# What another conversation says too is a little surer: so much of the doubt that is left goes.
CORROBORATED = 0.2
FILTER, UPDATE = "filter", "update"
DELETED = "deleted"
REASON_LENGTH = 500


class Writer:
    """Writes one distillation's decisions, in order. `experiences` are those it made or changed, each once, and
    `actions` counts what was decided."""

    def __init__(
        self,
        distillation: Distillation,
        turns: Mapping[str, Turn],
        thresholds: Thresholds,
        model: str,
        calibration: Calibration,
    ) -> None:
        self._distillation = distillation
        self._turns = turns
        self._thresholds = thresholds
        self._model = model
        self._calibration = calibration
        self._number = distillation.decisions.aggregate(last=Max("number"))["last"] or 0
        self._touched: dict[str, Experience] = {}
        self._store = VectorStore()
        self._now = datetime.now(UTC)
        self._actor = f"{DISTILLER}{distillation.pk}"
        self.actions: Counter[str] = Counter()

    @property
    def experiences(self) -> list[Experience]:
        """What was made or changed."""
        return list(self._touched.values())

    def drop(self, dropped: Sequence[Dropped]) -> None:
        """Write down what extraction let go."""
        rows = []
        for each in dropped:
            told = {"text": each.text, "sources": list(each.sources)}
            rows.append(self._row(FILTER, Action.DISCARD, each.rule, each.reason, told))
        Decision.objects.bulk_create(rows)

    def decide(self, candidate: Candidate, vector: npt.NDArray[np.float32]) -> None:
        """Decide about a candidate and do it; `vector` is its text's, of unit length."""
        owner = self._distillation.user_id if candidate.personal else ""
        digest = revisions.digest(owner, candidate.kind, candidate.text)
        verdict, experience = self._known(candidate, owner, digest) or self._deleted(digest) or (None, None)
        if verdict is None:
            verdict = self._verdict(candidate, owner, vector)
            experience = self._apply(verdict, candidate, owner, digest, vector)
        if experience is not None and not self._distillation.draft:
            self._corroborate(experience, candidate)
        told = _json(candidate)
        if verdict.rule == DELETED:  # its words are not to be kept here either
            told = {name: told[name] for name in ("kind", "method", "sources")}
        row = self._row(UPDATE, verdict.action, verdict.rule, verdict.reason, told)
        row.digest = digest
        row.experience = experience
        if verdict.neighbour is not None:
            row.similarity = round(verdict.neighbour.similarity, 4)
            row.neighbour_id, row.neighbour_text = verdict.neighbour.id, verdict.neighbour.text
        if experience is not None and verdict.action != Action.DISCARD:
            row.result_text = experience.text
        row.save(force_insert=True)

    def _verdict(self, candidate: Candidate, owner: str, vector: npt.NDArray[np.float32]) -> Verdict:
        neighbours = self._neighbours(candidate, owner, vector)
        return decide(candidate, neighbours, self._thresholds, self._history(candidate, owner))

    def _corroborate(self, experience: Experience, candidate: Candidate) -> None:
        """Let an experience, and what it has become part of, rest on the candidate's messages too, and hold from when
        it was said first, whichever conversation is read first."""
        whole = filter(None, (experience.pk, experience.abstraction_id))
        rows = [row for each in whole for row in self._sources(each, candidate)]
        Source.objects.bulk_create(rows, ignore_conflicts=True)
        between = Experience.objects.owned_by(experience.user_id).filter(
            subject=experience.subject, valid_to__gt=candidate.occurred_at, valid_from__lt=experience.valid_from
        )
        if candidate.occurred_at < experience.valid_from and not (experience.subject and between.exists()):
            since = {"valid_from": candidate.occurred_at}
            reason = "It was said earlier already."
            revisions.change(experience, since, "date", self._actor, reason, self._now)

    def _known(self, candidate: Candidate, owner: str, digest: bytes) -> tuple[Verdict, Experience] | None:
        """The verdict about what was decided before, word for word; what was superseded since may come back."""
        experience = self._alike(digest).first()
        if experience is None and not self._distillation.draft:
            before = Decision.objects.filter(digest=digest, distillation__draft=False).exclude(experience=None)
            found = before.order_by("-pk").select_related("experience").first()
            experience = found.experience if found else None
        if experience is None or self._is_newer_again(candidate, experience):
            return None
        return Verdict(Action.DISCARD, "known", "It was said in the same words before."), experience

    def _deleted(self, digest: bytes) -> tuple[Verdict, None] | None:
        """The verdict about what people did not want to be known any more, in whatever conversation it comes again."""
        if not deletions.was_deleted(digest):
            return None
        return Verdict(Action.DISCARD, DELETED, "It says what was deleted by somebody, and that holds."), None

    def _alike(self, digest: bytes) -> models.QuerySet[Experience]:
        """What says the same in the same words: in the draft, or of what is known."""
        same = Experience.objects.filter(digest=digest)
        if self._distillation.draft:
            return same.filter(metadata__draft_of=self._distillation.pk)
        return same.exclude(status=ExperienceStatus.DRAFT)

    def _is_newer_again(self, candidate: Candidate, experience: Experience) -> bool:
        """Whether what somebody takes back to is newer than what had taken its place."""
        return (
            experience.status in (ExperienceStatus.SUPERSEDED, ExperienceStatus.DRAFT)
            and experience.valid_to is not None
            and candidate.occurred_at > experience.valid_to
        )

    def _neighbours(self, candidate: Candidate, owner: str, vector: npt.NDArray[np.float32]) -> list[Neighbour]:
        status = ExperienceStatus.DRAFT if self._distillation.draft else ExperienceStatus.ACTIVE
        filters = Filters(user_ids=[owner], statuses=[status])
        hits = self._store.search(Collection.EXPERIENCE, vector.tolist(), self._model, NEAREST, filters)
        near = {hit.item_id: self._calibration.similarity(hit.cosine) for hit in hits}
        mine = Experience.objects.owned_by(owner).filter(status=status)
        if self._distillation.draft:
            mine = mine.filter(metadata__draft_of=self._distillation.pk, valid_to=None)
        found = {each.pk: each for each in mine.filter(pk__in=near)}
        if candidate.subject:
            found |= {each.pk: each for each in mine.filter(subject=candidate.subject[:200])}
        return [_neighbour(each, near.get(each.pk, 0.0)) for each in found.values()]

    def _history(self, candidate: Candidate, owner: str) -> list[Neighbour]:
        """What was said of the candidate's subject and holds no more."""
        if not candidate.subject or self._distillation.draft:
            return []
        mine = Experience.objects.owned_by(owner).filter(subject=candidate.subject[:200])
        return [_neighbour(each, 0.0) for each in mine.filter(status=ExperienceStatus.SUPERSEDED)]

    def _apply(
        self, verdict: Verdict, candidate: Candidate, owner: str, digest: bytes, vector: npt.NDArray[np.float32]
    ) -> Experience | None:
        nearest = Experience.objects.select_for_update().get(pk=verdict.neighbour.id) if verdict.neighbour else None
        if verdict.action in (Action.UPDATE, Action.MERGE) and nearest is not None:
            return self._touch(self._join(nearest, verdict, candidate))
        if verdict.action == Action.DISCARD:
            return None if verdict.rule == "unsure" else nearest
        back = self._alike(digest).first()
        if back is not None:
            changes: dict[str, Any] = {"valid_from": candidate.occurred_at, "valid_to": None, "superseded_by_id": None}
            if not self._distillation.draft:
                changes["status"] = ExperienceStatus.ACTIVE
            made = revisions.change(back, changes, "restore", self._actor, verdict.reason, self._now)
        else:
            made = self._insert(candidate, owner, verdict, vector)
        if verdict.supersedes and nearest is not None:
            self._supersede(nearest, made, max(candidate.occurred_at, nearest.valid_from), verdict)
        if verdict.before is not None:
            earlier = Experience.objects.select_for_update().get(pk=verdict.before.id)
            self._supersede(earlier, made, candidate.occurred_at, verdict)
        return self._touch(made)

    def _supersede(self, older: Experience, newer: Experience, since: datetime, verdict: Verdict) -> None:
        gone: dict[str, Any] = {"superseded_by_id": newer.pk, "valid_to": since}
        if not self._distillation.draft:
            gone["status"] = ExperienceStatus.SUPERSEDED
        revisions.change(older, gone, "supersede", self._actor, verdict.reason, self._now)

    def _insert(
        self, candidate: Candidate, owner: str, verdict: Verdict, vector: npt.NDArray[np.float32]
    ) -> Experience:
        status = ExperienceStatus.QUARANTINED if candidate.quarantine else ExperienceStatus.ACTIVE
        metadata: dict[str, Any] = {"quarantine": candidate.quarantine} if candidate.quarantine else {}
        if self._distillation.draft:
            status = ExperienceStatus.DRAFT
            metadata |= {"draft_of": self._distillation.pk}
        new = Experience(
            id=new_id(EXPERIENCE_PREFIX),
            user_id=owner,
            agent_id=self._distillation.agent_id,
            kind=candidate.kind,
            method=candidate.method,
            problem=candidate.problem,
            solution=candidate.solution,
            language=candidate.language,
            entities=list(candidate.entities),
            subject=candidate.subject[:200],
            value=candidate.value,
            confidence=candidate.confidence,
            importance=candidate.importance,
            status=status,
            valid_from=candidate.occurred_at,
            embedding_status=WorkStatus.COMPLETED,
            metadata=metadata,
        )
        if verdict.superseded and verdict.neighbour is not None:
            new.status = ExperienceStatus.SUPERSEDED if not self._distillation.draft else status
            new.valid_to, new.superseded_by_id = verdict.neighbour.valid_from, verdict.neighbour.id
        sources = [] if self._distillation.draft else self._sources(new.pk, candidate)
        revisions.begin(new, "insert", self._actor, verdict.reason[:REASON_LENGTH], self._now, sources)
        item = Item(new.pk, self._model, vector.tolist(), text_digest(new.text))
        self._store.add(Collection.EXPERIENCE, [item])
        return new

    def _join(self, nearest: Experience, verdict: Verdict, candidate: Candidate) -> Experience:
        confidence = nearest.confidence + (1 - nearest.confidence) * CORROBORATED * candidate.confidence
        changes = {
            "problem": verdict.problem,
            "solution": verdict.solution,
            "entities": list(dict.fromkeys([*nearest.entities, *candidate.entities]))[:48],
            "confidence": round(confidence, 4),
            "importance": max(nearest.importance, candidate.importance),
            "valid_from": min(nearest.valid_from, candidate.occurred_at),
        }
        text = f"{verdict.problem}\n{verdict.solution}" if verdict.problem else verdict.solution
        digest = revisions.digest(nearest.user_id, nearest.kind, text)
        if self._alike(digest).exclude(pk=nearest.pk).exists():
            return nearest  # another one says all of this already
        return revisions.change(
            nearest, changes, verdict.action, self._actor, verdict.reason[:REASON_LENGTH], self._now
        )

    def _touch(self, experience: Experience) -> Experience:
        self._touched[experience.pk] = experience
        return experience

    def _sources(self, experience_id: str, candidate: Candidate) -> list[Source]:
        """A row for each message that the candidate rests on."""
        return [
            Source(
                tenant_id=current_tenant_id(),
                experience_id=experience_id,
                distillation_id=self._distillation.pk,
                stream_name=self._distillation.stream_name,
                event_version=self._turns[source].version,
                message_id=source,
                created_at=self._now,
            )
            for source in candidate.sources
        ]

    def _row(self, stage: str, action: Action, rule: str, reason: str, told: dict[str, Any]) -> Decision:
        self._number += 1
        self.actions[action] += 1
        return Decision(
            tenant_id=current_tenant_id(),
            distillation=self._distillation,
            number=self._number,
            stage=stage,
            action=action,
            rule=rule,
            reason=reason,
            candidate=told,
            created_at=self._now,
        )


def _neighbour(experience: Experience, similarity: float) -> Neighbour:
    return Neighbour(
        id=experience.pk,
        kind=experience.kind,
        problem=experience.problem,
        solution=experience.solution,
        subject=experience.subject,
        value=experience.value,
        confidence=experience.confidence,
        valid_from=experience.valid_from,
        similarity=similarity,
        valid_to=experience.valid_to,
    )


def _json(candidate: Candidate) -> dict[str, Any]:
    return asdict(candidate) | {"occurred_at": candidate.occurred_at.isoformat(), "terms": dict(candidate.terms)}


def candidate_of(told: Mapping[str, Any]) -> Candidate:
    """The candidate that a decision keeps."""
    times = {"occurred_at": datetime.fromisoformat(told["occurred_at"])}
    kinds = {"kind": Kind(told["kind"]), "method": Method(told["method"])}
    lists = {name: tuple(told[name]) for name in ("entities", "sources")}
    return Candidate(**{**told, **times, **kinds, **lists})
