"""What is in the tables, seen from outside of the domain: for tests that say that nothing was written, or nothing is left."""

from datetime import UTC, datetime

from django.db import connection

from memory import limits
from memory.events import store
from memory.events.draft import draft
from memory.flight import analysis
from memory.layers import deletions, knowledge, tool
from memory.models import (
    Decision,
    Distillation,
    Experience,
    Hint,
    Invitation,
    QueueItem,
    Revision,
    Source,
    Stream,
    Tenant,
)
from memory.retrieval.vector import Item, VectorStore
from memory.tenancy import tenant_scope
from memory.vocabulary import Action, Collection, DistillationMode, HintRule, Kind, Method, Severity, new_id
from tests.events.making import drafted


def names() -> list[str]:
    """Every table of the database."""
    return sorted(connection.introspection.table_names())


def isolated() -> list[str]:
    """Every table whose rows belong to a tenant."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT table_name FROM information_schema.columns "
            "WHERE table_schema = 'public' AND column_name = 'tenant_id' ORDER BY table_name"
        )
        return [name for (name,) in cursor.fetchall()]


def row_counts() -> dict[tuple[str, str], int]:
    """How many rows each table holds, by tenant and table; what counts requests by the minute is left
    out."""
    counts = _each_table("SELECT '{name}', count(*) FROM {table}")
    return {place: 0 if place[1] == "memory_allowance" else held for place, held in counts.items()}


def holding(text: str) -> list[str]:
    """The tables with a row that holds this text in any of its columns, in any tenant."""
    found = _each_table("SELECT '{name}', count(*) FROM {table} WHERE strpos({table}::text, %(text)s) > 0", text=text)
    return sorted({name for (_, name), count in found.items() if count})


def _each_table(select: str, **values: str) -> dict[tuple[str, str], int]:
    quote = connection.ops.quote_name
    query = " UNION ALL ".join(select.format(name=name, table=quote(name)) for name in names())
    counts = {}
    for tenant in Tenant.objects.order_by("slug"):
        with tenant_scope(tenant.pk), connection.cursor() as cursor:
            cursor.execute(query, values)
            counts |= {(tenant.slug, name): count for name, count in cursor.fetchall()}
    return counts


def fill_distilled(tenant: Tenant) -> Experience:
    """A row in every table of distilled memory, in the tenant's scope."""
    now = datetime.now(UTC)
    owned = {"tenant": tenant, "created_at": now}
    experience = Experience.objects.create(
        id=new_id("exp_"),
        kind=Kind.SOLUTION,
        method=Method.DIRECT,
        problem="The disk is full.",
        solution="Delete the old logs.",
        confidence=0.5,
        importance=0.5,
        valid_from=now,
        digest=b"d" * 32,
        updated_at=now,
        **owned,
    )
    VectorStore().add(Collection.EXPERIENCE, [Item(experience.pk, "model", [0.6, 0.8], b"t" * 32)])
    distillation = Distillation.objects.create(
        id=new_id("dist_"), mode=DistillationMode.FULL, stream_name="run", **owned
    )
    Decision.objects.create(
        distillation=distillation,
        number=1,
        stage="update",
        action=Action.INSERT,
        rule="new",
        reason="Nothing like it is known.",
        candidate={},
        experience=experience,
        **owned,
    )
    Source.objects.create(experience=experience, stream_name="run", event_version=1, message_id="msg_1", **owned)
    deletions.remember(experience, "test")
    told = {"type": "memory.recalled", "payload": {"results": [{"id": experience.pk}]}}
    store.append("run", [draft(told, store.limits())])
    Revision.objects.create(experience=experience, number=1, change="insert", actor="test", after={}, **owned)
    QueueItem.objects.create(
        queue="embedding", dedupe_key=experience.pk, subject_id=experience.pk, run_at=now, updated_at=now, **owned
    )
    knowledge.create("Runbook", "Delete the old logs.")
    tool.keep("clean", "Deletes old logs.")
    limits.put("ARES_MAX_TASKS", "5")
    Invitation.objects.create(tenant=tenant, email="new@example.com", role="viewer", created_at=now, expires_at=now)
    return experience


def fill_analysis(tenant: Tenant) -> None:
    """A row in every table of what is found in runs, in the tenant's scope."""
    call, result = ({"tool_call_id": "c", "name": "search"}, {"tool_call_id": "c", "content": ""})
    store.append("analysed", [drafted("tool.call", **call), drafted("tool.result", **result)])
    stream = Stream.objects.named("analysed")
    analysis.catch_up(stream)
    Hint.objects.create(
        tenant=tenant,
        stream=stream,
        rule=HintRule.SILENT_AGENT,
        severity=Severity.LOW,
        version=2,
        evidence=[1, 2],
        first_evidence=1,
        sentence="Nothing came after it.",
        tokens_before=0,
        found_at=datetime.now(UTC),
    )
