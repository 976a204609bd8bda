"""A tenant with one of everything, keys and people of every kind, and every address of the project to try them on."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from django.core.signals import request_finished
from django.db import close_old_connections, transaction
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver
from django.utils import timezone

from memory import tenants
from memory.api.views import TenantView
from memory.events import store
from memory.layers import knowledge, session, task, tool
from memory.models import ApiKey, Distillation, Invitation, Tenant, User
from memory.tenancy import tenant_scope
from memory.vocabulary import Role, Scope
from tests import tables
from tests.events.making import drafted

AGENT, USER = "planner", "mara"
# What stands in whatever belongs to the tenant that is asked about, and in nothing else.
MARK = "acme-only"
PASSWORD = "correct horse battery"
METHODS = ("GET", "POST", "PATCH", "DELETE")
# What is sent to an address of the API, where a body is taken.
BODIES: dict[str, Any] = {
    "sessions": {"user_id": USER, "agent_id": AGENT},
    "sessions/<str:session_id>/messages": {"role": "user", "content": "hello"},
    "sessions/<str:session_id>/context": {"input": "What now?"},
    "tasks": {"session_id": "{session_id}", "input": "x"},
    "tasks/<str:task_id>": {"status": "completed", "output": "y"},
    "tasks/<str:task_id>/distillations": {"mode": "light"},
    "experiences/<str:experience_id>": {"confidence": 0.4},
    "experiences/<str:experience_id>/merges": {"other_id": "exp_none"},
    "experiences/<str:experience_id>/splits": {"parts": [{"solution": "one"}, {"solution": "two"}]},
    "experiences/<str:experience_id>/feedback": {"verdict": "helpful"},
    "streams/<str:stream>/events": {"events": [{"type": "a.b", "payload": {"agent_id": AGENT, "user_id": USER}}]},
    "knowledge": {"title": "t", "text": "x"},
    "tools": {"name": "n", "description": "d"},
    "search": {"query": "logs"},
}


@dataclass(frozen=True, slots=True)
class Address:
    """An address, as its pattern has it, and what answers there."""

    place: str
    pattern: URLPattern

    @property
    def view(self) -> type[TenantView] | None:
        """The view of the API; None for a page."""
        callback: Any = self.pattern.callback
        found = getattr(callback, "view_class", getattr(callback, "cls", None))
        return found if isinstance(found, type) and issubclass(found, TenantView) else None

    @property
    def names(self) -> list[str]:
        """The names of its parts that vary."""
        return re.findall(r"<(?:\w+:)?(\w+)>", self.place)

    def filled(self, values: dict[str, str]) -> str:
        """The address of one thing."""
        return "/" + re.sub(r"<(?:\w+:)?(\w+)>", lambda part: values[part[1]], self.place)


def addresses(resolver: URLResolver | None = None, before: str = "") -> Iterator[Address]:
    """Every address of the project."""
    for pattern in (resolver or get_resolver()).url_patterns:
        place = before + str(pattern.pattern)
        if isinstance(pattern, URLResolver):
            yield from addresses(pattern, place)
        else:
            yield Address(place, pattern)


def world(tenant: Tenant) -> dict[str, str]:
    """One of everything in a tenant; the parts of the addresses that name them."""
    with tenant_scope(tenant.pk):
        opened = session.create(USER, AGENT, {"mark": MARK})
        session.add_messages(opened.pk, [{"role": "user", "content": f"{MARK}: the disk is full"}])
        asked = task.create(opened.pk, USER, f"{MARK}: clean up")
        recorded = store.append("run", [drafted("step.started", agent_id=AGENT, user_id=USER, note=MARK)])
        experience = tables.fill_distilled(tenant)
        type(experience).objects.update(solution=MARK, agent_id=AGENT, user_id=USER)
        Distillation.objects.update(agent_id=AGENT, user_id=USER, error=MARK)
        document, described = knowledge.create("Runbook", MARK), tool.keep("mark", MARK)[0]
        key, _ = ApiKey.objects.issue(tenant, "spare")
        return {
            "session_id": opened.pk,
            "task_id": asked.pk,
            "stream": "run",
            "name": "run",
            "version": "1",
            "agent_id": AGENT,
            "user_id": USER,
            "experience_id": experience.pk,
            "distillation_id": Distillation.objects.get().pk,
            "knowledge_id": document.pk,
            "tool_id": described.pk,
            "change": "retry",
            "prefix": key.prefix,
            "slug": tenant.slug,
            "invitation_id": str(Invitation.objects.get().pk),
            "token": "none",
            "provider_id": "none",
            "event_id": recorded.events[0].event_id,
            "a": "run",
            "b": "run",
            "view_id": "1",
            "note_id": "1",
        }


def keys(tenant: Tenant, other: Tenant) -> dict[str, tuple[str, frozenset[str]]]:
    """Texts of keys and what their scopes are, by what they are called in the matrix; "" is no key at all."""
    now = timezone.now()
    with tenant_scope(tenant.pk):
        issue = ApiKey.objects.issue
        made = {str(scope): issue(tenant, scope, scopes=[str(scope)]) for scope in Scope}
        made["all"] = issue(tenant, "all")
        made["revoked"] = issue(tenant, "revoked")
        made["revoked"][0].revoke(now)
        made["expired"] = issue(tenant, "expired", now - timedelta(minutes=1))
        bound = [str(Scope.INGEST), str(Scope.READ)]
        made["its agent"] = issue(tenant, "its agent", scopes=bound, agent_id=AGENT)
        made["its user"] = issue(tenant, "its user", scopes=bound, user_id=USER)
        made["another agent"] = issue(tenant, "another agent", scopes=bound, agent_id="stranger")
        made["another user"] = issue(tenant, "another user", scopes=bound, user_id="stranger")
    with tenant_scope(other.pk):
        made["another tenant"] = ApiKey.objects.issue(other, "other")
    return {"none": ("", frozenset())} | {name: (text, frozenset(key.scopes)) for name, (key, text) in made.items()}


def people(tenant: Tenant, other: Tenant) -> dict[str, Client]:
    """Browsers, by who sits in front of them."""
    browsers = {"nobody": Client(raise_request_exception=False)}
    for name, where, role in (
        *((str(role), tenant, role) for role in Role),
        ("another tenant's admin", other, Role.ADMIN),
        ("installation admin", None, None),
    ):
        user = User.objects.create_user(f"{name.replace(' ', '.').replace(chr(39), '')}@example.com", PASSWORD)
        if where is None or role is None:
            user.is_superuser = True
            user.save()
        else:
            tenants.join(user, where, role)
        browsers[name] = Client(raise_request_exception=False)
        browsers[name].force_login(user)
    return browsers


def undone(client: Client, method: str, path: str, body: Any = None, **headers: str) -> tuple[int, str]:
    """Status and content of an answer; whatever it changed is undone."""
    with transaction.atomic():
        response: Any = client.generic(method, path, body or b"", "application/json", headers=headers)
        content = "" if response.streaming else response.content.decode()
        if response.streaming:
            request_finished.disconnect(close_old_connections)  # the connection is the test's
            response.close()
            request_finished.connect(close_old_connections)
        transaction.set_rollback(True)
    return response.status_code, content
