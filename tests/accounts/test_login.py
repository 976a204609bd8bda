"""Logging in and out: who gets in, who is slowed down, and what an answer tells."""

from collections.abc import Iterator
from datetime import timedelta
from typing import Any
from unittest import mock

import pytest
from django.contrib.auth.hashers import Argon2PasswordHasher
from django.contrib.sessions.models import Session
from django.core.cache import cache
from django.db import connection
from django.test import Client, override_settings
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from memory import jobs
from memory.models import User
from tests.accounts.conftest import PASSWORD, is_logged_in, log_in, logged_in


@pytest.fixture
def hashed() -> Iterator[mock.Mock]:
    """How often a password is hashed, which is what a log-in takes its time for."""
    encode = Argon2PasswordHasher.encode
    verify = Argon2PasswordHasher.verify
    with (
        mock.patch.object(Argon2PasswordHasher, "encode", autospec=True, side_effect=encode) as encoded,
        mock.patch.object(Argon2PasswordHasher, "verify", autospec=True, side_effect=verify) as verified,
    ):
        counter = mock.Mock()
        counter.count = lambda: encoded.call_count + verified.call_count
        yield counter


def test_email_and_password_let_in_whatever_the_case_of_the_email(mara: User) -> None:
    browser = Client()
    assert log_in(browser, "Mara@Example.COM")["Location"] == "/"
    assert is_logged_in(browser)


def test_passwords_are_kept_by_argon2(mara: User) -> None:
    assert mara.password.startswith("argon2$argon2id$")


@pytest.mark.parametrize(
    "target",
    ["https://evil.example/", "//evil.example", "/\\evil.example", "javascript:alert(1)", "http://localhost/x"],
)
def test_nobody_is_sent_elsewhere_after_logging_in(mara: User, target: str) -> None:
    assert log_in(Client(), mara.email, next=target)["Location"] == "/"


def test_somebody_is_sent_where_they_wanted_to_go(mara: User) -> None:
    assert log_in(Client(), mara.email, next="/runs/?q=x")["Location"] == "/runs/?q=x"
    assert 'value="/runs/"' in Client().get("/login/?next=/runs/").content.decode()


def test_an_unknown_email_answers_like_a_wrong_password_and_costs_as_much(mara: User, hashed: mock.Mock) -> None:
    answers, costs, queries = [], [], []
    for email in (mara.email, "nobody@example.com"):
        browser = Client()
        browser.get("/login/")
        before = hashed.count()
        with CaptureQueriesContext(
            connection,
        ) as captured:
            answer: Any = log_in(browser, email, "wrong password")
        answers.append((answer.status_code, answer.context["form"].non_field_errors()))
        costs.append(hashed.count() - before)
        queries.append(sum(1 for query in captured if "aresweb_cache" not in query["sql"]))
    assert answers[0] == answers[1] == (200, ["The email or the password is wrong."])
    assert costs == [1, 1]
    assert queries[0] == queries[1]


def test_an_account_is_closed_to_guesses_for_a_while_whoever_makes_them(mara: User) -> None:
    for number in range(5):
        log_in(Client(REMOTE_ADDR=f"192.0.2.{number}"), mara.email, "wrong password")
    answer: Any = log_in(Client(REMOTE_ADDR="192.0.2.77"), mara.email)
    assert answer.status_code == 200
    assert answer.context["form"].non_field_errors() == ["Too many tries. Wait five minutes, or set a new password."]


def test_an_unknown_account_is_closed_to_guesses_just_the_same(db: None) -> None:
    for number in range(5):
        log_in(Client(REMOTE_ADDR=f"192.0.2.{number}"), "nobody@example.com", "wrong password")
    answer: Any = log_in(Client(REMOTE_ADDR="192.0.2.77"), "nobody@example.com")
    assert answer.context["form"].non_field_errors() == ["Too many tries. Wait five minutes, or set a new password."]


def test_an_address_is_slowed_down_whichever_accounts_it_tries(mara: User) -> None:
    browser = Client(REMOTE_ADDR="192.0.2.1")
    for number in range(10):
        log_in(browser, f"somebody{number}@example.com", "wrong password")
    refused: Any = log_in(browser, mara.email)
    assert refused.status_code == 200
    assert "Too many tries." in refused.content.decode()
    assert log_in(Client(REMOTE_ADDR="192.0.2.2"), mara.email).status_code == 302


def test_an_address_that_floods_the_form_is_told_when_to_come_back(mara: User) -> None:
    browser = Client(REMOTE_ADDR="192.0.2.1")
    answers = [browser.post("/login/", {"login": "no email", "password": ""}) for _ in range(31)]
    assert {answer.status_code for answer in answers[:30]} == {200}
    assert (answers[30].status_code, answers[30]["Retry-After"]) == (429, "60")
    assert "Too many tries" in answers[30].content.decode()


def test_what_a_client_says_of_its_address_counts_only_behind_the_proxy(mara: User) -> None:
    for number in range(10):
        log_in(Client(HTTP_X_FORWARDED_FOR=f"192.0.2.{number}"), f"somebody{number}@example.com", "wrong password")
    assert "Too many tries." in log_in(Client(HTTP_X_FORWARDED_FOR="192.0.2.99"), mara.email).content.decode()
    cache.clear()
    with override_settings(ALLAUTH_TRUSTED_PROXY_COUNT=1):
        for number in range(10):  # the client's own word comes first, the proxy's last
            claimed = f"203.0.113.{number}, 192.0.2.1"
            log_in(Client(HTTP_X_FORWARDED_FOR=claimed), f"somebody{number}@example.com", "wrong password")
        answer = log_in(Client(HTTP_X_FORWARDED_FOR="203.0.113.99, 192.0.2.1"), mara.email)
        assert "Too many tries." in answer.content.decode()
        assert log_in(Client(HTTP_X_FORWARDED_FOR="203.0.113.1, 192.0.2.2"), mara.email).status_code == 302


def test_tries_are_counted_for_all_processes_together(mara: User) -> None:
    log_in(Client(), mara.email, "wrong password")
    with connection.cursor() as cursor:
        cursor.execute("SELECT count(*) FROM aresweb_cache WHERE cache_key LIKE '%%login_failed%%'")
        assert cursor.fetchone() == (2,)  # one of the account, one of the address


def test_logging_out_takes_a_form(mara: User) -> None:
    browser = logged_in(mara)
    assert browser.get("/logout/").status_code == 405
    assert is_logged_in(browser)
    assert browser.post("/logout/")["Location"] == "/login/"
    assert not is_logged_in(browser)


def test_a_form_of_another_site_does_nothing(mara: User) -> None:
    browser = Client(enforce_csrf_checks=True)
    browser.force_login(mara)
    for path in ("/logout/", "/account/sessions/", "/account/password/", "/settings/people/invitations/", "/login/"):
        assert browser.post(path, HTTP_ORIGIN="https://evil.example").status_code == 403
    assert is_logged_in(browser)


def test_a_closed_account_gets_nobody_in_and_throws_out_who_is_in(mara: User) -> None:
    inside = logged_in(mara)
    User.objects.filter(pk=mara.pk).update(is_active=False)
    assert not is_logged_in(inside)
    assert log_in(Client(), mara.email)["Location"] == "/login/inactive/"
    assert Client().get("/login/inactive/").status_code == 200


def test_a_log_in_is_over_after_its_hours(mara: User) -> None:
    browser = logged_in(mara)
    kept = Session.objects.get(pk=browser.session.session_key)
    assert timedelta(hours=167) < kept.expire_date - timezone.now() <= timedelta(hours=168)
    Session.objects.filter(pk=kept.pk).update(expire_date=timezone.now() - timedelta(seconds=1))
    assert not is_logged_in(browser)


def test_log_ins_that_are_over_are_forgotten_and_others_are_not(mara: User) -> None:
    over, open_ = logged_in(mara), logged_in(mara)
    Session.objects.filter(pk=over.session.session_key).update(expire_date=timezone.now() - timedelta(seconds=1))
    assert (jobs.forget_logins(), jobs.forget_logins()) == (1, 0)
    assert is_logged_in(open_)


def test_the_session_gets_another_key_by_logging_in(mara: User) -> None:
    browser = Client()
    browser.get("/login/")
    session = browser.session
    session["planted"] = 1
    session.save()
    log_in(browser, mara.email)
    assert browser.session.session_key != session.session_key


def test_the_password_is_in_no_answer(mara: User) -> None:
    for password in (PASSWORD, "wrong password"):
        assert password not in log_in(Client(), mara.email, password).content.decode()


def test_there_is_no_sign_up(db: None) -> None:
    for path in ("/signup/", "/accounts/signup/", "/oidc/sso/login/", "/oidc/sso/login/callback/"):
        assert Client().get(path).status_code == 404
