"""What the server refuses, says and hides, with the settings of production where it matters."""

import json
import logging
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from django.test import Client, override_settings

from aresweb.logs import Discreet, discreet
from memory.models import Tenant, User
from tests.accounts.conftest import PASSWORD

ROOT = Path(__file__).parents[1]
PRODUCTION = {
    "ARES_HTTPS": "1",
    "ARES_ALLOWED_HOSTS": "ares.example.com",
    "ARES_MAIL_URL": "smtp+tls://ares:s%40cret@mail.example.com",
    "ARES_OIDC_URL": "https://id.example.com/realms/main",
    "ARES_OIDC_CLIENT": "aresweb",
    "ARES_OIDC_KEY": "x" * 32,
}


def ask(question: str) -> Any:
    """What a fresh process with the settings of production answers: JSON of an expression over `settings`."""
    program = f"import json; from aresweb import settings; print(json.dumps({question}))"
    return json.loads(run([sys.executable, "-c", program]).stdout)


def run(command: list[str]) -> subprocess.CompletedProcess[str]:
    # The browser tests set a switch for themselves in the process that collects them; no server has it.
    own = {name: value for name, value in os.environ.items() if name != "DJANGO_ALLOW_ASYNC_UNSAFE"}
    return subprocess.run(command, cwd=ROOT, env={**own, **PRODUCTION}, capture_output=True, text=True, check=False)


def test_the_check_for_deployment_finds_nothing_with_the_settings_of_production() -> None:
    done = run([sys.executable, "manage.py", "check", "--deploy", "--fail-level", "WARNING"])
    assert done.returncode == 0, done.stderr
    assert "no issues" in done.stdout


def test_cookies_behind_a_proxy_are_secure_and_of_this_host_alone() -> None:
    found = ask(
        "[settings.SESSION_COOKIE_NAME, settings.SESSION_COOKIE_SECURE, settings.SESSION_COOKIE_HTTPONLY, "
        "settings.SESSION_COOKIE_SAMESITE, settings.CSRF_COOKIE_NAME, settings.CSRF_COOKIE_SECURE, "
        "settings.CSRF_COOKIE_SAMESITE]"
    )
    assert found == ["__Host-sessionid", True, True, "Lax", "__Host-csrftoken", True, "Lax"]


def test_the_proxy_is_believed_of_the_scheme_and_the_client_and_browsers_come_back_by_https() -> None:
    assert ask(
        "[settings.SECURE_PROXY_SSL_HEADER, settings.ALLAUTH_TRUSTED_PROXY_COUNT, settings.SECURE_SSL_REDIRECT, "
        "settings.SECURE_HSTS_SECONDS >= 31536000, settings.SECURE_HSTS_INCLUDE_SUBDOMAINS, settings.DEBUG]"
    ) == [["HTTP_X_FORWARDED_PROTO", "https"], 1, True, True, True, False]


def test_the_mail_server_and_the_issuer_are_set_from_their_addresses() -> None:
    assert ask(
        "[settings.EMAIL_BACKEND, settings.EMAIL_HOST, settings.EMAIL_PORT, settings.EMAIL_HOST_USER, "
        "settings.EMAIL_HOST_PASSWORD, settings.EMAIL_USE_TLS, settings.EMAIL_USE_SSL]"
    ) == ["django.core.mail.backends.smtp.EmailBackend", "mail.example.com", 587, "ares", "s@cret", True, False]
    assert ask("settings.CONTENT_SECURITY_POLICY['DIRECTIVES']['form-action']") == ["'self'", "https://id.example.com/"]


def test_without_https_nobody_believes_headers() -> None:
    from django.conf import settings

    assert settings.SECURE_PROXY_SSL_HEADER is None
    assert settings.ALLAUTH_TRUSTED_PROXY_COUNT == 0


@pytest.mark.parametrize("path", ["/login/", "/password/reset/", "/account/", "/healthz", "/api/v1/sessions", "/nowhere", "/invitations/x/", "/static/dashboard/css/base.css"])  # fmt: skip
def test_every_answer_carries_the_headers_that_hold_browsers_to_it(db: None, path: str) -> None:
    answer = Client().get(path)
    assert answer["X-Content-Type-Options"] == "nosniff"
    assert answer["Referrer-Policy"] == "same-origin"
    assert answer["Cross-Origin-Opener-Policy"] == "same-origin"
    if not path.startswith("/static/"):
        policy = answer["Content-Security-Policy"]
        assert answer["X-Frame-Options"] == "DENY"
        assert "frame-ancestors 'none'" in policy
        assert "default-src 'self'" in policy
        assert "unsafe" not in policy
    answer.close()


def test_the_log_in_is_https_alone_behind_a_proxy(mara: User) -> None:
    behind = {
        "SECURE_SSL_REDIRECT": True,
        "SECURE_PROXY_SSL_HEADER": ("HTTP_X_FORWARDED_PROTO", "https"),
        "SECURE_HSTS_SECONDS": 31_536_000,
        "SECURE_HSTS_INCLUDE_SUBDOMAINS": True,
        "SESSION_COOKIE_SECURE": True,
        "CSRF_COOKIE_SECURE": True,
    }
    with override_settings(**behind):
        assert Client().get("/login/")["Location"] == "https://testserver/login/"
        browser = Client(HTTP_X_FORWARDED_PROTO="https")
        answer: Any = browser.post("/login/", {"login": mara.email, "password": PASSWORD})
        assert answer["Strict-Transport-Security"] == "max-age=31536000; includeSubDomains"
        cookie = answer.cookies["sessionid"]
        assert (cookie["secure"], cookie["httponly"], cookie["samesite"]) == (True, True, "Lax")


@pytest.fixture
def mara(acme: Tenant) -> User:
    return User.objects.create_user("mara@example.com", PASSWORD)


def test_other_hosts_are_not_answered(db: None) -> None:
    for path in ("/login/", "/api/v1/sessions", "/healthz"):
        answer = Client().get(path, HTTP_HOST="evil.example")
        assert answer.status_code == 400 or path == "/healthz"
        assert b"Traceback" not in answer.content


@pytest.mark.parametrize("origin", ["https://evil.example", "null", "http://testserver.evil.example"])
def test_a_form_from_another_origin_is_refused(mara: User, origin: str) -> None:
    browser = Client(enforce_csrf_checks=True)
    token = browser.get("/login/").cookies["csrftoken"].value
    fields = {"login": mara.email, "password": PASSWORD, "csrfmiddlewaretoken": token}
    assert browser.post("/login/", fields, HTTP_ORIGIN=origin).status_code == 403
    assert browser.post("/login/", fields, HTTP_ORIGIN="http://testserver").status_code == 302


@pytest.mark.parametrize("path", ["/login/", "/api/v1/sessions", "/password/reset/"])
def test_an_error_shows_no_trace_and_no_secret(mara: User, path: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*args: Any, **kwargs: Any) -> None:
        secret = "hunter2hunter2"
        raise RuntimeError(f"broken with {secret}")

    monkeypatch.setattr("django.middleware.common.CommonMiddleware.process_request", fail)
    answer = Client(raise_request_exception=False).post(path, {"login": mara.email, "password": "hunter2hunter2"})
    assert answer.status_code == 500
    for told in (b"Traceback", b"hunter2", b"RuntimeError", b"site-packages"):
        assert told not in answer.content


def test_a_body_that_is_too_large_is_refused_before_it_is_read() -> None:
    from django.conf import settings

    with override_settings(ARES={**settings.ARES, "ARES_MAX_BODY_BYTES": 1024}):
        for path in ("/login/", "/settings/people/invitations/", "/admin/", "/api/v1/sessions"):
            answer = Client().post(path, b"x" * 1025, content_type="application/octet-stream")
            assert answer.status_code == 413


KEY = "ares_0123456789ab_" + "S" * 43


@pytest.mark.parametrize(
    ("line", "shown"),
    [
        (f"key {KEY} was used", "key ares_0123456789ab_… was used"),
        ("Authorization: Bearer abcdefghijkl", "Authorization: Bearer …"),
        ("postgres://ares:pa55@db:5432/x failed", "postgres://ares:…@db:5432/x failed"),
        ("Not Found: /invitations/WzEsMV0:1xYGGQ:YX1iPXU1/", "Not Found: /invitations/…/"),
        ("Gone: /password/reset/1-abcdef-0123456789abcdef/", "Gone: /password/reset/1-…/"),
        ("/oidc/sso/login/callback/?code=abc&state=def", "/oidc/sso/login/callback/?code=…&state=…"),
        ("GET /runs/ares_run/ took 5 ms", "GET /runs/ares_run/ took 5 ms"),
        ("/password/reset/sent/", "/password/reset/sent/"),
    ],
)
def test_a_line_of_the_log_says_no_secret(line: str, shown: str) -> None:
    assert discreet(line) == shown


def test_a_traceback_in_the_log_says_no_secret() -> None:
    try:
        int(KEY)
    except ValueError:
        record = logging.LogRecord("x", logging.ERROR, __file__, 1, "failed: %s", (KEY,), sys.exc_info())
    text = Discreet("{levelname} {message}", style="{").format(record)
    assert "Traceback" in text
    assert "ares_0123456789ab_…" in text
    assert "SSSS" not in text


def test_every_handler_of_the_log_is_discreet() -> None:
    from django.conf import settings

    assert {handler["formatter"] for handler in settings.LOGGING["handlers"].values()} == {"line"}
    assert settings.LOGGING["formatters"]["line"]["()"] == "aresweb.logs.Discreet"


def test_no_file_has_a_default_password_or_a_key() -> None:
    tracked = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=False)
    if tracked.returncode:
        pytest.skip("this is no checkout")
    places = [ROOT / name for name in tracked.stdout.split("\0") if name and not name.startswith("tests/")]
    from memory.models.api_key import KEY_PATTERN

    for place in places:
        if place.suffix in (".py", ".md", ".html", ".yml", ".toml", ".sh") and place.is_file():
            text = place.read_text()
            assert not KEY_PATTERN.search(text), place
            assert 'create_superuser(ADMIN_EMAIL, "' not in text, place
