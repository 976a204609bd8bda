"""Every address, asked for by everybody: a cell for each, none of which may be wrong. `pytest -s` prints the matrix."""

import json
from collections import Counter
from typing import Any

import pytest
from django.test import Client
from rich.console import Console
from rich.table import Table

from memory import permissions
from memory.models import Tenant
from memory.permissions import RULES, Permission
from memory.vocabulary import Role
from tests import access
from tests.access import BODIES, MARK, METHODS, Address

API = "api/v1/"
OPEN = {"healthz", "readyz", "api/schema/", "api/docs/"}
# Django's admin has one rule for all of it, and tests of its own.
ADMIN = "admin/"
UNAUTHENTICATED = {"none", "revoked", "expired"}
BOUND = {"its agent", "its user", "another agent", "another user"}

pytestmark = pytest.mark.django_db


def show(title: str, columns: list[str], rows: dict[tuple[str, str], dict[str, str]]) -> None:
    """Print the matrix: a row for each address and method, a column for each who asks."""
    table = Table(title=title, title_justify="left")
    for column in ("address", "method", *columns):
        table.add_column(column)
    for (place, method), cells in rows.items():
        table.add_row(place, method, *(cells[column] for column in columns))
    Console(width=240).print(table)


def body_for(place: str, values: dict[str, str]) -> bytes:
    body = BODIES.get(place.removeprefix(API), {})
    text = json.dumps(body)
    for name, value in values.items():
        text = text.replace("{" + name + "}", value)
    return text.encode()


def expected_of_key(address: Address, method: str, who: str, scopes: frozenset[str]) -> set[int]:
    """The statuses that an answer to a key may have; the sign of what came through is any that is not a refusal."""
    through = {200, 201, 202, 204, 400, 409}
    if address.place.endswith("/merges"):
        through |= {404}  # there is nothing to merge with
    view = address.view
    assert view is not None
    if who in UNAUTHENTICATED:
        return {401}
    if not permissions.may_scopes(scopes, view.permissions[method]):
        return {403}
    if who == "another tenant":
        asks_for_something = bool(address.names) and not (method == "POST" and address.place.endswith("/events"))
        return {404} if asks_for_something or (address.place, method) == (f"{API}tasks", "POST") else through
    if who not in BOUND:
        return through
    if not address.names:
        return _expected_of_bound_collection(address, method, who)
    if address.names == ["agent_id"]:
        return through if who == "its agent" else {404}
    if set(address.names) & {"knowledge_id", "tool_id"} or who.startswith("its"):
        return through
    return {404}


def _expected_of_bound_collection(address: Address, method: str, who: str) -> set[int]:
    assert address.view is not None
    if not address.view.narrows:
        return {403}
    foreign = who.startswith("another")
    if foreign and (address.place, method) == (f"{API}sessions", "POST"):
        return {403}
    if foreign and (address.place, method) == (f"{API}tasks", "POST"):
        return {404}
    return {200, 201, 202}


def test_every_address_of_the_api_answers_every_key_as_the_table_says(acme: Tenant, globex: Tenant) -> None:
    values, keys = access.world(acme), access.keys(acme, globex)
    client = Client(raise_request_exception=False)
    rows: dict[tuple[str, str], dict[str, str]] = {}
    wrong: list[str] = []
    for address in access.addresses():
        view = address.view
        if view is None:
            continue
        for method in METHODS:
            if method not in view.permissions:
                continue
            cells = rows.setdefault((address.place.removeprefix(API), method), {})
            for who, (text, scopes) in keys.items():
                headers = {"Authorization": f"Bearer {text}"} if text else {}
                status, content = access.undone(
                    client, method, address.filled(values), body_for(address.place, values), **headers
                )
                cells[who] = str(status)
                shows = MARK in content and (who.startswith("another") or who in UNAUTHENTICATED)
                shared = bool({"knowledge", "tools", "search"} & set(address.place.split("/"))) and who in BOUND
                if status not in expected_of_key(address, method, who, scopes) or (shows and not shared):
                    wrong.append(f"{method} {address.place} by {who}: {status} {content[:300]}")
    show("API: status by key", list(keys), rows)
    assert len(rows) > 35
    assert wrong == []


def is_of_tenants(address: Address) -> bool:
    """Whether it is a page that shows something of a tenant, so that the table has a rule for it."""
    return (
        not address.place.startswith(("api/", ADMIN))
        and address.place not in OPEN
        and bool(getattr(address.pattern.callback, "permissions", None))
    )


def expected_on_page(address: Address, method: str, who: str) -> set[int]:
    callback: Any = address.pattern.callback
    needed: Permission = callback.permissions[0 if method == "GET" else 1]
    through = {200, 201, 302, 404, 405, 409, 422, 400}
    if who == "nobody":
        return {302, 405}
    if RULES[needed].for_installation:
        return through if who == "installation admin" else {403}
    if who == "installation admin":
        return {403, 405}
    if who in set(Role):
        return through if permissions.may_role(Role(who), needed) else {403, 405}
    # Somebody else's admin: in the own tenant there is nothing of what the address names; to forget a view of one's own
    # that is not there is no error.
    return {404, 405} if address.names and address.names != ["view_id"] else through


def test_every_page_answers_everybody_as_the_table_says(acme: Tenant, globex: Tenant) -> None:
    values, browsers = access.world(acme), access.people(acme, globex)
    rows: dict[tuple[str, str], dict[str, str]] = {}
    wrong: list[str] = []
    for address in access.addresses():
        if not is_of_tenants(address):
            continue
        for method in ("GET", "POST"):
            cells = rows.setdefault((address.place, method), {})
            for who, browser in browsers.items():
                status, content = access.undone(browser, method, address.filled(values))
                cells[who] = str(status)
                shows = MARK in content and who not in set(Role)
                if status not in expected_on_page(address, method, who) or shows:
                    wrong.append(f"{method} {address.place} by {who}: {status} {content[:200]}")
    show("Pages: status by member", list(browsers), rows)
    assert len(rows) > 80
    assert wrong == []


def test_personal_pages_send_nobody_to_the_log_in_and_are_there_for_everybody_else(
    acme: Tenant, globex: Tenant
) -> None:
    values, browsers = access.world(acme), access.people(acme, globex)
    wrong: list[str] = []
    for address in access.addresses():
        if not getattr(address.pattern.callback, "is_personal", False):
            continue
        for who, browser in browsers.items():
            status, content = access.undone(browser, "GET", address.filled(values))
            if status not in ({302, 405} if who == "nobody" else {200, 302, 404, 405}) or MARK in content:
                wrong.append(f"{address.place} by {who}: {status}")
    assert wrong == []


def test_a_suspended_tenant_lets_its_admins_look_and_nobody_do_anything(acme: Tenant, globex: Tenant) -> None:
    values, browsers, keys = access.world(acme), access.people(acme, globex), access.keys(acme, globex)
    Tenant.objects.filter(pk=acme.pk).update(suspended_at=acme.created_at)
    seen: Counter[tuple[str, str, int]] = Counter()
    for address in access.addresses():
        if address.place in OPEN:
            continue
        if address.view is not None:
            for method in address.view.permissions:
                bearer = f"Bearer {keys['all'][0]}"
                status, content = access.undone(Client(), method, address.filled(values), b"{}", Authorization=bearer)
                assert (status, "tenant-suspended" in content) == (403, True), (address.place, method)
            continue
        callback: Any = address.pattern.callback
        if not is_of_tenants(address) or RULES[callback.permissions[0]].for_installation:
            continue
        for role in Role:
            for method in ("GET", "POST"):
                if method == "POST" and address.place == "tenant/":
                    continue  # to another tenant they may go
                status, _ = access.undone(browsers[role], method, address.filled(values))
                seen[role, method, status] += 1
    assert {status for role, method, status in seen if method == "POST" or role != Role.ADMIN} <= {403, 405}
    assert seen[Role.ADMIN, "GET", 200] > 20
