"""Logging in by OpenID Connect, against a real issuer on this machine."""

from collections.abc import Iterator
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from allauth.account.models import EmailAddress
from allauth.mfa.models import Authenticator
from django.conf import settings
from django.test import Client, override_settings

from memory.models import Tenant, User
from tests.accounts.conftest import PASSWORD, is_logged_in, log_in, logged_in
from tests.accounts.issuer import CLIENT, SECRET, Issuer, issuer
from tests.accounts.test_invitations import invite, role_in


@pytest.fixture
def provider(mara: User) -> Iterator[Issuer]:
    """The issuer, which is set, and vouches for Mara."""
    with issuer() as running:
        running.person = {"sub": "42", "email": mara.email, "email_verified": True, "name": "Mara Jones"}
        app = {"provider_id": "sso", "name": "Corporate", "client_id": CLIENT, "secret": SECRET}
        app |= {"settings": {"server_url": running.url}}
        providers = {"openid_connect": {**settings.SOCIALACCOUNT_PROVIDERS["openid_connect"], "APPS": [app]}}
        oidc = {"provider_id": "sso", "name": "Corporate"}
        with override_settings(SOCIALACCOUNT_PROVIDERS=providers, ARES_OIDC=oidc):
            yield running


def go(browser: Client, **fields: str) -> dict[str, str]:
    """Press the button; returns what the issuer is asked with."""
    answer = browser.post("/oidc/sso/login/", {"process": "login", **fields})
    assert answer.status_code == 302, answer.content
    return {name: values[0] for name, values in parse_qs(urlsplit(answer["Location"]).query).items()}


def come_back(browser: Client, asked: dict[str, str]) -> Any:
    return browser.get("/oidc/sso/login/callback/", {"code": "once", "state": asked["state"]})


def through(browser: Client, **fields: str) -> Any:
    return come_back(browser, go(browser, **fields))


def test_without_an_issuer_there_is_no_button(db: None) -> None:
    assert "/oidc/" not in Client().get("/login/").content.decode()


def test_somebody_with_an_account_logs_in_by_the_issuer(provider: Issuer, mara: User) -> None:
    browser = Client()
    assert "Log in by Corporate" in browser.get("/login/").content.decode()
    asked = go(browser, next="/runs/")
    assert asked["redirect_uri"] == "http://testserver/oidc/sso/login/callback/"
    assert (asked["code_challenge_method"], asked["client_id"]) == ("S256", CLIENT)
    assert come_back(browser, asked)["Location"] == "/runs/"
    assert is_logged_in(browser)
    assert (provider.forms[0]["code"], provider.forms[0]["client_secret"]) == ("once", SECRET)
    assert provider.forms[0]["code_verifier"]
    assert User.objects.count() == 1


def test_it_takes_a_form_to_begin(provider: Issuer) -> None:
    answer = Client().get("/oidc/sso/login/")
    assert answer.status_code == 200
    browser = Client(enforce_csrf_checks=True)
    assert browser.post("/oidc/sso/login/", HTTP_ORIGIN="https://evil.example").status_code == 403


def test_an_answer_that_nobody_asked_for_is_refused(provider: Issuer) -> None:
    asked = go(Client())
    thief = Client()
    answer = come_back(thief, asked)
    assert not is_logged_in(thief)
    assert "The log-in did not work" in answer.content.decode()
    assert provider.forms == []


def test_nobody_is_sent_elsewhere(provider: Issuer) -> None:
    assert through(Client(), next="https://evil.example/")["Location"] == "/"


def test_an_address_that_the_issuer_does_not_vouch_for_opens_nothing(provider: Issuer) -> None:
    provider.person["email_verified"] = False
    browser = Client()
    assert "There is no account to log in to" in through(browser).content.decode()
    assert not is_logged_in(browser)


def test_a_password_that_somebody_else_may_have_set_is_void_once_the_issuer_vouches(
    provider: Issuer, mara: User
) -> None:
    squatter = logged_in(mara)  # whoever set it never showed that the address is theirs
    through(Client())
    assert not is_logged_in(squatter)
    assert log_in(Client(), mara.email).status_code == 200


def test_a_password_of_a_proven_address_stays(provider: Issuer, mara: User) -> None:
    EmailAddress.objects.create(user=mara, email=mara.email, verified=True, primary=True)
    through(Client())
    assert log_in(Client(), mara.email).status_code == 302


def test_the_second_step_is_asked_for_all_the_same(provider: Issuer, mara: User) -> None:
    Authenticator.objects.create(user=mara, type="totp", data={"secret": "x"})
    browser = Client()
    assert through(browser)["Location"] == "/login/code/"
    assert not is_logged_in(browser)


def test_somebody_unknown_gets_no_account_without_an_invitation(provider: Issuer) -> None:
    provider.person |= {"sub": "43", "email": "new@example.com"}
    browser = Client()
    assert "There is no account to log in to" in through(browser).content.decode()
    assert not User.objects.filter(email="new@example.com").exists()


def test_somebody_invited_comes_in_by_the_issuer(provider: Issuer, acme: Tenant) -> None:
    provider.person |= {"sub": "43", "email": "new@example.com", "name": "New One"}
    browser, path = Client(), invite(acme)
    assert "Log in by Corporate" in browser.get(path).content.decode()
    assert through(browser, next=path)["Location"] == path
    assert role_in(acme, "new@example.com") is None
    assert browser.post(path)["Location"] == "/"
    assert role_in(acme, "new@example.com") == "operator"
    made = User.objects.get(email="new@example.com")
    assert (made.name, made.has_usable_password(), made.is_superuser) == ("New One", False, False)


def test_an_invitation_of_another_address_lets_nobody_in(provider: Issuer, acme: Tenant) -> None:
    provider.person |= {"sub": "43", "email": "other@example.com"}
    browser, path = Client(), invite(acme)
    browser.get(path)
    assert "There is no account to log in to" in through(browser, next=path).content.decode()
    assert not User.objects.filter(email="other@example.com").exists()


def test_an_account_is_connected_by_its_owner(provider: Issuer, mara: User) -> None:
    provider.person |= {"email": "work@example.com"}
    browser = logged_in(mara)
    browser.post("/account/confirm/", {"password": PASSWORD})
    answer = browser.post("/oidc/sso/login/", {"process": "connect"})
    asked = {name: values[0] for name, values in parse_qs(urlsplit(answer["Location"]).query).items()}
    assert come_back(browser, asked)["Location"] == "/account/"
    assert "Connected." in browser.get("/account/").content.decode()
    other = Client()
    assert through(other)["Location"] == "/"
    assert is_logged_in(other)
