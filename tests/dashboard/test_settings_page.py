"""The settings: what holds and where it comes from; a tenant's admin sets the tenant's own."""

from collections.abc import Callable

import pytest
from django.test import Client, override_settings

from aresweb import env
from memory import limits
from memory.models import Tenant, User
from memory.tenancy import tenant_scope
from memory.vocabulary import HintRule, Role
from tests.dashboard.conftest import seen

Member = Callable[..., Client]


def test_every_member_sees_what_holds_and_where_it_comes_from(
    member: Member, acme: Tenant, monkeypatch: pytest.MonkeyPatch
) -> None:
    with tenant_scope(acme.pk):
        limits.put("ARES_MAX_HISTORY", "25")
    with override_settings(ARES_ORIGINS={"ARES_MAX_BATCH": "file", "ARES_MAX_TASKS": "environment"}):
        page = seen(member(Role.VIEWER), "/settings/")
    for name, value, origin in (
        ("ARES_MAX_HISTORY", "25", "tenant"),
        ("ARES_MAX_BATCH", "1,000", "file"),
        ("ARES_MAX_TASKS", "1,000", "environment"),
        ("ARES_NEW_BELOW", "0.7", "default"),
    ):
        row = page.partition(f'<span class="second mono">{name}</span>')[2].partition("</tr>")[0]
        assert f"<b>{value}</b>" in row
        assert f'data-label="from">{origin}</td>' in row
    assert "<input class=" not in page.partition("<main")[2]


def test_only_an_admin_may_set(member: Member, acme: Tenant) -> None:
    for role in (Role.VIEWER, Role.OPERATOR):
        assert member(role).post("/settings/", {"ARES_MAX_HISTORY": "25"}).status_code == 403
    browser = member(Role.ADMIN)
    page = browser.post("/settings/", {"ARES_MAX_HISTORY": " 25 ", "ARES_NEW_BELOW": ""}, follow=True).content.decode()
    assert "Saved." in page
    with tenant_scope(acme.pk):
        assert limits.own() == {"ARES_MAX_HISTORY": 25}


def test_a_wrong_value_saves_nothing_and_loses_nothing(member: Member, acme: Tenant) -> None:
    answer = member(Role.ADMIN).post("/settings/", {"ARES_MAX_HISTORY": "25", "ARES_NEW_BELOW": "<b>7</b>"})
    page = answer.content.decode()
    assert answer.status_code == 422
    assert "Nothing was saved: 1 value cannot be taken." in page
    assert 'value="25"' in page
    assert 'value="&lt;b&gt;7&lt;/b&gt;"' in page
    assert "ARES_NEW_BELOW must be a number" in page
    with tenant_scope(acme.pk):
        assert limits.own() == {}


def test_a_value_is_given_back_to_the_installation(member: Member, acme: Tenant) -> None:
    with tenant_scope(acme.pk):
        limits.put("ARES_MAX_HISTORY", "25")
        limits.put("ARES_MAX_TASKS", "5")
    browser = member(Role.ADMIN)
    browser.post("/settings/", {"reset": "ARES_MAX_HISTORY", "ARES_MAX_HISTORY": "25", "ARES_MAX_TASKS": "5"})
    with tenant_scope(acme.pk):
        assert limits.own() == {"ARES_MAX_TASKS": 5}
    browser.post("/settings/", {"ARES_MAX_TASKS": ""})
    with tenant_scope(acme.pk):
        assert limits.own() == {}


def test_rules_that_give_no_hints_are_named_and_a_name_that_is_none_is_refused(member: Member, acme: Tenant) -> None:
    browser = member(Role.ADMIN)
    refused = browser.post("/settings/", {"ARES_HINTS_OFF": "silent_agent, loud_agent"})
    assert refused.status_code == 422
    assert "ARES_HINTS_OFF names what there is not: loud_agent." in refused.content.decode()

    page = browser.post("/settings/", {"ARES_HINTS_OFF": " unusual_cost silent_agent,"}, follow=True).content.decode()

    row = page.partition('<span class="second mono">ARES_HINTS_OFF</span>')[2].partition("</tr>")[0]
    assert "<b>silent_agent, unusual_cost</b>" in row
    assert 'data-label="default">none</td>' in row
    with tenant_scope(acme.pk):
        assert limits.names("ARES_HINTS_OFF") == {"silent_agent", "unusual_cost"}


def test_every_rule_can_be_off_at_once(member: Member, acme: Tenant, globex: Tenant) -> None:
    member(Role.ADMIN).post("/settings/", {"ARES_HINTS_OFF": ",".join(HintRule)})
    with tenant_scope(acme.pk):
        assert limits.names("ARES_HINTS_OFF") == set(HintRule)
    with tenant_scope(globex.pk):
        assert limits.names("ARES_HINTS_OFF") == set()


def test_what_is_no_setting_of_a_tenant_is_not_taken(member: Member, acme: Tenant) -> None:
    browser = member(Role.ADMIN)
    browser.post("/settings/", {"ARES_MAX_BATCH": "5", "PORT": "1"})
    assert browser.post("/settings/", {"reset": "PORT"}).status_code == 302
    with tenant_scope(acme.pk):
        assert limits.own() == {}


def test_one_tenants_values_are_not_anothers(member: Member, acme: Tenant, globex: Tenant) -> None:
    member(Role.ADMIN).post("/settings/", {"ARES_MAX_HISTORY": "25"})
    with tenant_scope(globex.pk):
        assert limits.value("ARES_MAX_HISTORY") == 10


def test_the_installations_variables_are_shown_to_its_administrators_without_secrets(
    pages: Client, viewer: User
) -> None:
    secret = "postgres://somebody:hunter2hunter2@db/ares"
    told = env.told({"DATABASE_URL": secret, "ARES_SECRET_KEY": "s" * 40, "PORT": "8123"})
    with override_settings(ARES_INSTALLATION=told):
        assert "DATABASE_URL" not in seen(pages, "/settings/")
        viewer.is_superuser = True
        viewer.save()
        page = seen(pages, "/settings/")
    assert "<b>8123</b>" in page
    assert page.count("<b>(set)</b>") == 2
    assert "hunter2" not in page
    assert "ssss" not in page
