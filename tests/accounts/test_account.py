"""One's account: sessions, all of which end at once, the password, and a new one by mail."""

import re
import threading
from collections.abc import Callable
from typing import Any

import pytest
from allauth.usersessions.models import UserSession
from django.core import mail
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django_q.models import OrmQ, Task

from dashboard.views import live
from memory.models import Tenant, User
from tests.accounts.conftest import PASSWORD, is_logged_in, link, log_in, logged_in
from tests.dashboard.test_views import record

Work = Callable[[Callable[[], Any]], Any]
NEW = "another horse battery"


def test_logging_out_everywhere_ends_every_session_at_once(mara: User) -> None:
    here, there, phone = (logged_in(mara) for _ in range(3))
    unlisted = Client()
    unlisted.force_login(mara)  # no note of it stands in the list
    assert here.post("/account/sessions/")["Location"] == "/login/"
    assert [is_logged_in(browser) for browser in (here, there, phone, unlisted)] == [False] * 4
    assert is_logged_in(logged_in(mara))


def test_logging_out_everywhere_ends_nobody_elses_sessions(mara: User, admin: Client) -> None:
    logged_in(mara).post("/account/sessions/")
    assert is_logged_in(admin)


def test_one_session_is_ended_and_nobody_elses(mara: User, admin: Client) -> None:
    here, there = logged_in(mara), logged_in(mara)
    of_there = UserSession.objects.get(session_key=there.session.session_key)
    assert admin.post(f"/account/sessions/{of_there.pk}/").status_code == 404
    assert is_logged_in(there)
    assert here.post(f"/account/sessions/{of_there.pk}/").status_code == 302
    assert (is_logged_in(here), is_logged_in(there)) == (True, False)
    for nonsense in ("0", "x", "9" * 30, "-1"):
        assert here.post(f"/account/sessions/{nonsense}/").status_code == 404


def test_the_page_lists_the_sessions_without_their_keys(mara: User) -> None:
    here, there = logged_in(mara), logged_in(mara)
    page = here.get("/account/").content.decode()
    assert page.count('data-label="address"') == 2
    assert page.count("this session") == 1
    assert here.session.session_key not in page
    assert there.session.session_key not in page


def test_a_page_that_is_followed_live_ends_with_the_session(
    mara: User, acme: Tenant, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(live, "_followers", threading.BoundedSemaphore(1))
    monkeypatch.setattr(live, "RECHECK_SECONDS", 0.0)
    monkeypatch.setattr(live, "POLL_SECONDS", 0.0)
    record(acme, "run", ("note.made", {}))
    browser = logged_in(mara)
    lines = iter(browser.get("/runs/run/live/?after=0"))
    assert next(lines) == b": following\n\n"
    assert b'"version": 1' in next(lines)
    mara.end_sessions()
    assert list(lines) == []


def test_changing_the_password_ends_the_other_sessions_and_tells_by_mail(mara: User, work: Work) -> None:
    here, there = logged_in(mara), logged_in(mara)
    fields = {"oldpassword": PASSWORD, "password1": NEW, "password2": NEW}
    assert work(lambda: here.post("/account/password/", fields))["Location"] == "/account/"
    assert (is_logged_in(here), is_logged_in(there)) == (True, False)
    assert [sent.subject for sent in mail.outbox] == ["aresweb: Your password was changed"]
    assert mail.outbox[0].to == [mara.email]
    assert NEW not in str(mail.outbox[0].body)


@pytest.mark.parametrize(
    ("old", "new", "again"),
    [("wrong password", NEW, NEW), (PASSWORD, NEW, "other"), (PASSWORD, "short", "short"), (PASSWORD, "1234567890", "1234567890"), (PASSWORD, "mara@example.com", "mara@example.com")],
)  # fmt: skip
def test_a_password_is_not_changed_to_what_it_must_not_be(mara: User, old: str, new: str, again: str) -> None:
    browser = logged_in(mara)
    answer = browser.post("/account/password/", {"oldpassword": old, "password1": new, "password2": again})
    assert answer.status_code == 200
    assert 'role="alert"' in answer.content.decode()
    mara.refresh_from_db()
    assert mara.check_password(PASSWORD)


def test_a_link_by_mail_sets_a_new_password_once(mara: User, work: Work) -> None:
    inside = logged_in(mara)
    answer = work(lambda: Client().post("/password/reset/", {"email": "MARA@example.com"}))
    assert answer["Location"] == "/password/reset/sent/"
    [sent] = mail.outbox
    assert (sent.to, sent.subject) == ([mara.email], "aresweb: Set a new password")
    browser = Client()
    form = browser.get(link())["Location"]
    assert "set-password" in form  # the key is not in the address of the page
    assert browser.post(form, {"password1": NEW, "password2": NEW})["Location"] == "/password/reset/done/"
    assert not is_logged_in(inside)
    assert log_in(Client(), mara.email).status_code == 200
    assert log_in(Client(), mara.email, NEW).status_code == 302
    assert "no longer works" in Client().get(link(0)).content.decode()


def test_a_new_password_opens_an_account_that_was_closed_to_guesses(mara: User, work: Work) -> None:
    for number in range(5):
        log_in(Client(REMOTE_ADDR=f"192.0.2.{number}"), mara.email, "wrong password")
    work(lambda: Client().post("/password/reset/", {"email": mara.email}))
    browser = Client()
    browser.post(browser.get(link())["Location"], {"password1": NEW, "password2": NEW})
    assert log_in(Client(), mara.email, NEW).status_code == 302


@pytest.mark.parametrize("seconds", [3599, 3601])
def test_a_link_by_mail_works_for_an_hour(mara: User, work: Work, seconds: int, monkeypatch: Any) -> None:
    from django.contrib.auth.tokens import PasswordResetTokenGenerator

    work(lambda: Client().post("/password/reset/", {"email": mara.email}))
    now = PasswordResetTokenGenerator._now

    def later(self: PasswordResetTokenGenerator) -> Any:
        from datetime import timedelta

        return now(self) + timedelta(seconds=seconds)

    monkeypatch.setattr(PasswordResetTokenGenerator, "_now", later)
    assert (Client().get(link()).status_code == 302) is (seconds < 3600)


def test_asking_for_a_link_tells_nobody_who_has_an_account(
    mara: User, django_capture_on_commit_callbacks: Callable[..., Any]
) -> None:
    closed = User.objects.create_user("closed@example.com", PASSWORD, is_active=False)
    seen = []
    for number, email in enumerate((mara.email, "nobody@example.com", closed.email)):
        with django_capture_on_commit_callbacks(execute=True), CaptureQueriesContext(connection) as captured:
            answer = Client(REMOTE_ADDR=f"192.0.2.{number}").post("/password/reset/", {"email": email})
        shapes = [re.sub(r'"s\d+_x\d+"', "", query["sql"]).split(" ")[:4] for query in captured]
        seen.append((answer.status_code, answer["Location"], shapes))
    assert seen[0] == seen[1] == seen[2]
    assert OrmQ.objects.count() == 3
    assert mail.outbox == []  # sending takes its time where nobody waits for it


def test_the_worker_writes_to_nobody_without_an_open_account(mara: User, work: Work) -> None:
    User.objects.filter(pk=mara.pk).update(is_active=False)
    for email in (mara.email, "nobody@example.com"):
        work(lambda email=email: Client().post("/password/reset/", {"email": email}))
    assert mail.outbox == []


def test_no_link_is_in_the_queue_or_on_its_record(
    mara: User, django_capture_on_commit_callbacks: Callable[..., Any]
) -> None:
    with django_capture_on_commit_callbacks(execute=True):
        Client().post("/password/reset/", {"email": mara.email})
    [queued] = OrmQ.objects.all()
    assert queued.task["args"] == (mara.email, "http://testserver")
    assert queued.task["save"] is False
    assert Task.objects.count() == 0


def test_links_by_mail_are_limited_for_an_address_and_for_a_client(mara: User) -> None:
    asked = [Client(REMOTE_ADDR=f"192.0.2.{n}").post("/password/reset/", {"email": mara.email}) for n in range(4)]
    assert [answer.status_code for answer in asked] == [302, 302, 302, 429]
    flood = [Client().post("/password/reset/", {"email": f"somebody{n}@example.com"}) for n in range(11)]
    assert [answer.status_code for answer in flood] == [302] * 10 + [429]


def test_a_link_never_leads_to_a_host_that_the_request_made_up(mara: User) -> None:
    answer = Client().post("/password/reset/", {"email": mara.email}, HTTP_HOST="evil.example")
    assert answer.status_code == 400
    assert OrmQ.objects.count() == 0


def test_the_name_is_set_and_cleaned(mara: User) -> None:
    browser = logged_in(mara)
    browser.post("/account/", {"name": "  Mara \x00\n <b>Jones</b> " + "x" * 300})
    mara.refresh_from_db()
    assert mara.name.startswith("Mara <b>Jones</b> xxx")
    assert len(mara.name) == 200
    assert "<b>Jones" not in browser.get("/account/").content.decode()


@pytest.mark.parametrize("path", ["/account/", "/account/password/", "/account/two-step/", "/account/two-step/off/", "/account/recovery-codes/", "/account/confirm/", "/settings/people/"])  # fmt: skip
def test_nobody_sees_an_account_without_logging_in(db: None, path: str) -> None:
    assert Client().get(path)["Location"].startswith("/login/")
