"""Distilled memory as the refinery leaves it, for tests of the pages. Needs a tenant's scope."""

import hashlib
from datetime import UTC, datetime
from typing import Any

from memory.events import store
from memory.events.draft import draft
from memory.models import Decision, Distillation, Experience, Revision, Source, Stream
from memory.tenancy import current_tenant_id
from memory.vocabulary import Action, DistillationMode, Kind, Method, WorkStatus, new_id

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)


def said(name: str, *texts: str, role: str = "user") -> Stream:
    """A stream in which these texts were said, one message an event; their ids are `name` and the event's version."""
    for text in texts:
        version = Stream.objects.filter(name=name).values_list("version", flat=True).first() or 0
        payload = {"role": role, "content": text, "message_id": f"{name}.{version + 1}"}
        store.append(name, [draft({"type": "message.added", "payload": payload}, store.limits())])
    return Stream.objects.named(name)


def experience(solution: str, *, came_from: Stream | None = None, **fields: Any) -> Experience:
    """An experience with its first revision, that rests on the first event of a stream if one is given."""
    defaults = {
        "kind": Kind.FACT,
        "method": Method.PATTERN,
        "confidence": 0.5,
        "importance": 0.5,
        "embedding_status": WorkStatus.COMPLETED,
        "tokens": 7,
    }
    pk = new_id("exp_")
    made = Experience.objects.create(
        id=pk,
        tenant_id=current_tenant_id(),
        solution=solution,
        digest=hashlib.sha256(pk.encode()).digest(),
        valid_from=NOW,
        created_at=NOW,
        updated_at=NOW,
        **{**defaults, **fields},
    )
    Revision.objects.create(
        tenant_id=current_tenant_id(),
        experience=made,
        number=1,
        change="insert",
        actor="distillation:dist_1",
        after={"solution": solution},
        created_at=NOW,
    )
    if came_from is not None:
        rests_on(made, came_from, 1)
    return made


def rests_on(made: Experience, stream: Stream, version: int) -> Source:
    """The experience came from this event too."""
    return Source.objects.create(
        tenant_id=current_tenant_id(),
        experience=made,
        stream_name=stream.name,
        event_version=version,
        message_id=f"{stream.name}.{version}",
        created_at=NOW,
    )


def distillation(stream: Stream, **fields: Any) -> Distillation:
    """A completed distillation of a stream."""
    defaults = {
        "mode": DistillationMode.FULL,
        "status": WorkStatus.COMPLETED,
        "messages": stream.version,
        "input_tokens": 1000,
        "memory_tokens": 50,
        "started_at": NOW,
        "completed_at": NOW,
    }
    return Distillation.objects.create(
        id=new_id("dist_"),
        tenant_id=current_tenant_id(),
        stream_name=stream.name,
        created_at=NOW,
        **{**defaults, **fields},
    )


def decision(within: Distillation, number: int, **fields: Any) -> Decision:
    """A decision of a distillation: by default a greeting that was let go."""
    defaults = {
        "stage": "filter",
        "action": Action.DISCARD,
        "rule": "greeting",
        "reason": "It only greets.",
        "candidate": {"text": "Hello there", "sources": [f"{within.stream_name}.{number}"]},
    }
    return Decision.objects.create(
        tenant_id=current_tenant_id(),
        distillation=within,
        number=number,
        created_at=NOW,
        **{**defaults, **fields},
    )
