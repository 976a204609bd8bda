"""Two-step log-in: codes of an app, each of which works once, and recovery codes."""

import re
from collections.abc import Callable
from typing import Any

import pytest
from allauth.mfa.models import Authenticator
from django.core import mail
from django.test import Client, override_settings

from memory.models import User
from tests.accounts.conftest import PASSWORD, code, is_logged_in, log_in, logged_in

Work = Callable[[Callable[[], Any]], Any]


def turn_on(browser: Client) -> str:
    """Turns it on as a person does; returns what the app is given."""
    assert browser.get("/account/two-step/")["Location"] == "/account/confirm/?next=%2Faccount%2Ftwo-step%2F"
    browser.post("/account/confirm/", {"password": PASSWORD, "next": "/account/two-step/"})
    secret = re.search(r"data-totp-secret>([A-Z2-7]+)<", browser.get("/account/two-step/").content.decode())
    assert secret
    answer = browser.post("/account/two-step/", {"code": code(secret[1])})
    assert answer["Location"] == "/account/recovery-codes/", answer.content
    return secret[1]


def recovery_codes(browser: Client) -> list[str]:
    return re.findall(r"<li>(\d{8})</li>", browser.get("/account/recovery-codes/").content.decode())


@pytest.fixture
def here(mara: User) -> Client:
    return logged_in(mara)


def test_the_password_alone_no_longer_lets_in(mara: User, here: Client) -> None:
    secret = turn_on(here)
    browser = Client()
    assert log_in(browser, mara.email, next="/runs/")["Location"] == "/login/code/"
    assert not is_logged_in(browser)
    assert browser.post("/login/code/", {"code": code(secret, 1)})["Location"] == "/runs/"
    assert is_logged_in(browser)


def test_the_code_that_turned_it_on_does_not_log_in_as_well(mara: User, here: Client) -> None:
    secret = turn_on(here)
    browser = Client()
    log_in(browser, mara.email)
    assert browser.post("/login/code/", {"code": code(secret)}).status_code == 200
    assert not is_logged_in(browser)


def test_a_code_works_once(mara: User, here: Client) -> None:
    secret = turn_on(here)
    first, second = Client(), Client()
    for browser in (first, second):
        log_in(browser, mara.email)
    used = code(secret, 1)
    first.post("/login/code/", {"code": used})
    answer = second.post("/login/code/", {"code": used})
    assert "This code is wrong, or was used already." in answer.content.decode()
    assert (is_logged_in(first), is_logged_in(second)) == (True, False)


@pytest.mark.parametrize(("steps", "works"), [(-3, False), (-1, True), (1, True), (3, False)])
def test_a_code_is_good_for_its_time_alone(mara: User, here: Client, steps: int, works: bool) -> None:
    secret = turn_on(here)
    browser = Client()
    log_in(browser, mara.email)
    browser.post("/login/code/", {"code": code(secret, steps)})
    assert is_logged_in(browser) is works


def test_codes_cannot_be_guessed_on(mara: User, here: Client) -> None:
    secret = turn_on(here)
    for number in range(5):
        browser = Client(REMOTE_ADDR=f"192.0.2.{number}")
        log_in(browser, mara.email)
        browser.post("/login/code/", {"code": "000000"})
    browser = Client(REMOTE_ADDR="192.0.2.77")
    log_in(browser, mara.email)
    browser.post("/login/code/", {"code": code(secret, 1)})
    assert not is_logged_in(browser)


def test_the_second_step_is_not_reached_without_the_first(mara: User, here: Client) -> None:
    secret = turn_on(here)
    browser = Client()
    assert browser.post("/login/code/", {"code": code(secret, 1)})["Location"] == "/login/"
    assert not is_logged_in(browser)


def test_a_recovery_code_works_once(mara: User, here: Client) -> None:
    turn_on(here)
    codes = recovery_codes(here)
    assert len(set(codes)) == 10
    for worked in (True, False):
        browser = Client()
        log_in(browser, mara.email)
        browser.post("/login/code/", {"code": codes[0]})
        assert is_logged_in(browser) is worked
    assert recovery_codes(here) == codes[1:]


def test_new_recovery_codes_make_the_old_ones_void(mara: User, here: Client) -> None:
    turn_on(here)
    old = recovery_codes(here)
    assert here.post("/account/recovery-codes/new/")["Location"] == "/account/recovery-codes/"
    assert not set(old) & set(recovery_codes(here))


def test_who_turns_it_off_proves_to_be_the_owner_and_is_told_by_mail(mara: User, here: Client, work: Work) -> None:
    turn_on(here)
    thief = Client()
    thief.force_login(mara)
    assert thief.post("/account/two-step/off/")["Location"].startswith("/account/confirm/")
    assert Authenticator.objects.filter(user=mara, type="totp").exists()
    assert work(lambda: here.post("/account/two-step/off/"))["Location"] == "/account/"
    assert not Authenticator.objects.filter(user=mara).exists()
    assert [sent.subject for sent in mail.outbox] == ["aresweb: Two-step log-in was turned off"]
    assert log_in(Client(), mara.email)["Location"] == "/"


def test_a_new_password_by_mail_does_not_turn_it_off(mara: User, here: Client, work: Work) -> None:
    from tests.accounts.conftest import link

    turn_on(here)
    work(lambda: Client().post("/password/reset/", {"email": mara.email}))
    browser = Client()
    new = "another horse battery"
    browser.post(browser.get(link())["Location"], {"password1": new, "password2": new})
    assert not is_logged_in(browser)
    assert log_in(browser, mara.email, new)["Location"] == "/login/code/"


def test_what_codes_are_made_of_is_kept_encrypted(mara: User, here: Client) -> None:
    secret = turn_on(here)
    kept = list(Authenticator.objects.filter(user=mara))
    assert {one.type for one in kept} == {"totp", "recovery_codes"}
    assert all(secret not in str(one.data) for one in kept)
    assert all(str(one.data.get("secret") or one.data.get("seed")).startswith("gAAAA") for one in kept)


def test_with_another_secret_key_no_code_works_until_the_old_one_is_a_fallback(mara: User, here: Client) -> None:
    from django.conf import settings

    secret, old = turn_on(here), settings.SECRET_KEY
    with override_settings(SECRET_KEY="k" * 50):
        browser = Client()
        log_in(browser, mara.email)
        assert browser.post("/login/code/", {"code": code(secret, 1)}).status_code == 200
        assert not is_logged_in(browser)
        with override_settings(SECRET_KEY_FALLBACKS=[old]):
            browser.post("/login/code/", {"code": code(secret, -1)})
            assert is_logged_in(browser)
