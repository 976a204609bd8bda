"""People with a browser each, the worker's queue, and an authenticator app."""

import base64
import hashlib
import hmac
import re
import struct
import time
from collections.abc import Callable

import pytest
from django.core import mail
from django.test import Client
from django.utils.module_loading import import_string
from django_q.models import OrmQ

from memory import tenants
from memory.models import Tenant, User
from memory.vocabulary import Role

PASSWORD = "correct horse battery"


@pytest.fixture
def mara(acme: Tenant) -> User:
    """An operator of Acme."""
    user = User.objects.create_user("mara@example.com", PASSWORD, name="Mara")
    tenants.join(user, acme, Role.OPERATOR)
    return user


@pytest.fixture
def admin(acme: Tenant) -> Client:
    """The browser of an admin of Acme, who has logged in."""
    user = User.objects.create_user("ada@example.com", PASSWORD, name="Ada")
    tenants.join(user, acme, Role.ADMIN)
    return logged_in(user)


@pytest.fixture
def work(django_capture_on_commit_callbacks: Callable[..., object]) -> Callable[[Callable[[], object]], object]:
    """Do something, commit it, and let the worker do what is queued by it."""

    def do(something: Callable[[], object]) -> object:
        with django_capture_on_commit_callbacks(execute=True):
            answer = something()
        for queued in OrmQ.objects.order_by("pk"):
            import_string(queued.task["func"])(*queued.task["args"])
            queued.delete()
        return answer

    return do


def logged_in(user: User, **options: bool) -> Client:
    """A browser in which this person has logged in by the form."""
    browser = Client(**options)
    answer = log_in(browser, user.email)
    assert answer.status_code == 302, answer.content
    return browser


def log_in(browser: Client, email: str, password: str = PASSWORD, **fields: str) -> object:
    return browser.post("/login/", {"login": email, "password": password, **fields})


def is_logged_in(browser: Client) -> bool:
    return browser.get("/account/").status_code == 200


def code(secret: str, steps: int = 0) -> str:
    """What an app shows so many times 30 s from now. RFC 6238, computed without the code under test."""
    counter = struct.pack(">Q", int(time.time()) // 30 + steps)
    digest = hmac.new(base64.b32decode(secret), counter, hashlib.sha1).digest()
    offset = digest[-1] & 15
    return f"{(struct.unpack('>I', digest[offset : offset + 4])[0] & 0x7FFFFFFF) % 10**6:06}"


def link(number: int = -1) -> str:
    """The path of the link in one of the mails that were sent."""
    found = re.search(r"http://testserver(/\S+)", str(mail.outbox[number].body))
    assert found
    return found[1]
