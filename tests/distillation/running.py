"""Running the refinery in a test: conversations are recorded, asked to be distilled, and the queue is worked off."""

from collections.abc import Sequence
from typing import Any

from memory import worker
from memory.distillation import requests
from memory.layers import session
from memory.models import Distillation, Experience, Stream, Tenant
from memory.tenancy import tenant_scope
from memory.vocabulary import Queue


def said(tenant: Tenant, messages: Sequence[Any], user: str = "ann", agent: str = "ops") -> str:
    """A session with these messages: texts alternate between user and assistant. Its id."""
    roles = ("user", "assistant")
    raws = [
        {"role": roles[n % 2], "content": each} if isinstance(each, str) else each for n, each in enumerate(messages)
    ]
    with tenant_scope(tenant.pk):
        opened = session.create(user, agent)
        session.add_messages(opened.pk, raws)
        return opened.pk


def distilled(tenant: Tenant, session_id: str) -> Distillation:
    """The session's distillation, done."""
    with tenant_scope(tenant.pk):
        asked = requests.of_stream(Stream.objects.named(session_id), "test")
    worker.work(tenant.pk, Queue.DISTILLATION)
    with tenant_scope(tenant.pk):
        return Distillation.objects.with_id(asked.pk)


def learn(tenant: Tenant, messages: Sequence[Any], user: str = "ann") -> Distillation:
    """Record a conversation and distil it."""
    return distilled(tenant, said(tenant, messages, user))


def known(tenant: Tenant, **filters: Any) -> list[Experience]:
    """The tenant's experiences, the oldest first."""
    with tenant_scope(tenant.pk):
        return list(Experience.objects.filter(**filters).order_by("created_at", "pk"))
