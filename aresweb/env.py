"""The variables of the installation: each with a name, a type, a default, a meaning and a check.

They come from the process's environment, then from `.env` beside manage.py, and are read once, by the settings. What
the domain reads is in `memory.conf`; `docs/operations.md` lists both tables.
"""

import os
import re
import secrets
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from ipaddress import IPv4Address
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

import dj_database_url
from dotenv import dotenv_values

from memory.errors import Invalid

BASE_DIR = Path(__file__).resolve().parent.parent
SECRET_KEY_LENGTH = 32
# Keys, and addresses, which may hold a password: what they are is shown to nobody.
SECRET_ENDINGS = ("_KEY", "_URL")
# A host name, one with all its subdomains (`.example.com`), an IPv6 address in brackets, or every name.
HOST = re.compile(r"\.?[a-z0-9]([a-z0-9.-]*[a-z0-9])?|\[[0-9a-f:.]+\]|\*", re.ASCII | re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Variable:
    """One variable. `default` is a text as the environment would hold it; the empty one stands for none.

    `read` makes the value of a text, or raises a ValueError that says what the text must be.
    """

    name: str
    default: str
    read: Callable[[str], Any]
    meaning: str

    def parse(self, text: str) -> Any:
        """The value that a text from the environment stands for.

        Raises:
            Invalid: the text is not what it must be.
        """
        try:
            return self.read(text)
        except ValueError as error:
            raise Invalid(f"{self.name} {error}.") from None


def whole(least: int, most: int) -> Callable[[str], int]:
    """Reads a whole number within these bounds, both included."""

    def read(text: str) -> int:
        if not (text.isascii() and text.isdecimal() and len(text) < 10 and least <= int(text) <= most):
            raise ValueError(f"must be a whole number from {least} to {most}, not {text!r}")
        return int(text)

    return read


def switch(text: str) -> bool:
    """Reads 1, true, yes, on or 0, false, no, off."""
    word = text.strip().lower()
    if word not in ("1", "true", "yes", "on", "0", "false", "no", "off"):
        raise ValueError(f"must be 1 or 0, not {text!r}")
    return word in ("1", "true", "yes", "on")


def address(text: str) -> str:
    """Reads an IPv4 address."""
    try:
        return str(IPv4Address(text))
    except ValueError:
        raise ValueError(f"must be an IPv4 address like 127.0.0.1, not {text!r}") from None


def hosts(text: str) -> list[str]:
    """Reads host names, separated by commas."""
    names = [name.strip() for name in text.split(",") if name.strip()]
    for name in names:
        if not HOST.fullmatch(name):
            raise ValueError(f"must list host names like ares.example.com, without scheme and port, not {name!r}")
    return names


def folder(text: str) -> Path:
    """Reads a path; a relative one begins beside manage.py."""
    if "\x00" in text:
        raise ValueError("must be a path")
    return (BASE_DIR / Path(text).expanduser()).absolute()


def database(text: str) -> dict[str, Any] | None:
    """Reads the URL of a PostgreSQL database into Django's terms. What it holds is never told: it has a password."""
    if not text:
        return None
    try:
        found: dict[str, Any] = {**dj_database_url.parse(text)}
    except ValueError:
        found = {}
    if found.get("ENGINE") != "django.db.backends.postgresql" or not found["NAME"]:
        raise ValueError(
            "must look like postgres://user:password@host:5432/name, with / : @ # ? and % percent-encoded in its parts"
        )
    return found


def broker(text: str) -> str | None:
    """Reads the URL of a Redis; it may hold a password too."""
    if text and urlsplit(text).scheme not in ("redis", "rediss", "unix"):
        raise ValueError("must look like redis://host:6379/0")
    return text or None


def key(text: str) -> str | None:
    """Reads a secret."""
    if text and len(text) < SECRET_KEY_LENGTH:
        raise ValueError(f"must have at least {SECRET_KEY_LENGTH} characters")
    return text or None


def service(text: str) -> str:
    """Reads the base URL of a service."""
    parts = urlsplit(text)
    if text and (parts.scheme not in ("http", "https") or not parts.hostname):
        raise ValueError("must look like https://host/v1")
    return text


# How a mail server is spoken to: in the open, with TLS once greeted (STARTTLS), with TLS from the first byte; its port.
MAIL_SCHEMES = {"smtp": 25, "smtp+tls": 587, "smtps": 465}


def mail(text: str) -> dict[str, Any] | None:
    """Reads the URL of a mail server into Django's terms. What it holds is never told: it has a password."""
    if not text:
        return None
    try:
        parts = urlsplit(text)
        port = parts.port
    except ValueError:
        parts, port = urlsplit(""), None
    if parts.scheme not in MAIL_SCHEMES or not parts.hostname:
        raise ValueError("must look like smtp+tls://user:password@host:587, or begin with smtps:// or smtp://")
    return {
        "EMAIL_HOST": parts.hostname,
        "EMAIL_PORT": port or MAIL_SCHEMES[parts.scheme],
        "EMAIL_HOST_USER": unquote(parts.username or ""),
        "EMAIL_HOST_PASSWORD": unquote(parts.password or ""),
        "EMAIL_USE_TLS": parts.scheme == "smtp+tls",
        "EMAIL_USE_SSL": parts.scheme == "smtps",
    }


VARIABLES = {
    variable.name: variable
    for variable in (
        Variable("PORT", "8000", whole(1, 65_535), "Port of the web server."),
        Variable(
            "ARES_BIND", "127.0.0.1", address, "Address that the web server listens on; `0.0.0.0` is every network."
        ),
        Variable(
            "ARES_HOME", ".ares", folder, "Folder of data, logs and secrets; a relative path begins at `manage.py`."
        ),
        Variable("ARES_DEMO", "1", switch, "Whether the first `make run` records the demo runs. 0: it begins empty."),
        Variable("DATABASE_URL", "", database, "PostgreSQL server to use instead of the embedded one: `postgres://…`."),
        Variable("ARES_BROKER_URL", "", broker, "Redis for the queue of background jobs; without it, PostgreSQL."),
        Variable("ARES_WEB_WORKERS", "2", whole(1, 64), "Processes of the web server."),
        Variable("ARES_WORKERS", "2", whole(1, 64), "Processes that carry out background jobs, in each worker."),
        Variable(
            "ARES_ALLOWED_HOSTS",
            "",
            hosts,
            "Names under which aresweb is reached, separated by commas; `localhost` and its addresses always are.",
        ),
        Variable(
            "ARES_HTTPS",
            "0",
            switch,
            "1 behind a proxy that speaks HTTPS and sets `X-Forwarded-Proto`: secure cookies, no plain HTTP.",
        ),
        Variable(
            "ARES_SECRET_KEY",
            "",
            key,
            "Signs log-ins; at least 32 characters. Without it, a random one is kept in `ARES_HOME/secrets`.",
        ),
        Variable(
            "ARES_EMBEDDING_URL",
            "",
            service,
            "OpenAI-compatible embeddings, like `https://host/v1`; without it, a local model.",
        ),
        Variable("ARES_EMBEDDING_MODEL", "", str, "Model that ARES_EMBEDDING_URL is asked for."),
        Variable("ARES_EMBEDDING_KEY", "", str, "Key for ARES_EMBEDDING_URL."),
        Variable("ARES_EMBEDDING_QUERY_PREFIX", "", str, "What the model wants to stand before a query."),
        Variable("ARES_EMBEDDING_PASSAGE_PREFIX", "", str, "What the model wants to stand before a text to be found."),
        Variable(
            "ARES_LLM_URL", "", service, "OpenAI-compatible chat completions, like `https://host/v1`; none is needed."
        ),
        Variable("ARES_LLM_MODEL", "", str, "Model that ARES_LLM_URL is asked for."),
        Variable("ARES_LLM_KEY", "", str, "Key for ARES_LLM_URL."),
        Variable(
            "ARES_RERANK_URL",
            "",
            service,
            "Service with `/rerank`, like `https://host/v1`, for plans with a `rerank_weight`; none is needed.",
        ),
        Variable("ARES_RERANK_MODEL", "", str, "Model that ARES_RERANK_URL is asked for."),
        Variable("ARES_RERANK_KEY", "", str, "Key for ARES_RERANK_URL."),
        Variable(
            "ARES_PRIVATE_HOSTS",
            "",
            hosts,
            "Names of services that may have private addresses, separated by commas; others are refused at those.",
        ),
        Variable(
            "ARES_MAIL_URL",
            "",
            mail,
            "Mail server, like `smtp+tls://user:password@host:587`; without it, the worker prints mails.",
        ),
        Variable("ARES_MAIL_FROM", "aresweb@localhost", str, "Address that mails come from."),
        Variable(
            "ARES_OIDC_URL", "", service, "OpenID Connect issuer through which people may log in, like `https://host`."
        ),
        Variable("ARES_OIDC_NAME", "single sign-on", str, "What people know ARES_OIDC_URL by."),
        Variable("ARES_OIDC_CLIENT", "", str, "Client id that ARES_OIDC_URL knows aresweb by."),
        Variable("ARES_OIDC_KEY", "", str, "Client secret for ARES_OIDC_URL."),
        Variable("ARES_DEBUG", "0", switch, "Django's debug pages, which show secrets: never where others can look."),
    )
}


def read() -> dict[str, str]:
    """Every variable that is set: the process's own ones win over those of `.env`.

    Raises:
        Invalid: `.env` cannot be read.
    """
    return _file() | dict(os.environ)


def origins() -> dict[str, str]:
    """Where each variable that is set was set: `environment` for the process's own, `file` for those of `.env`.

    Raises:
        Invalid: `.env` cannot be read.
    """
    places = dict.fromkeys(_file(), "file") | dict.fromkeys(os.environ, "environment")
    effective = read()
    return {name: places[name] for name in places if effective[name]}


def _file() -> dict[str, str]:
    try:
        return {name: text for name, text in dotenv_values(BASE_DIR / ".env").items() if text is not None}
    except (OSError, UnicodeDecodeError) as error:
        raise Invalid(f"{BASE_DIR / '.env'} cannot be read: {error}") from None


def told(environment: Mapping[str, str]) -> list[dict[str, str]]:
    """The variables as an administrator is shown them: `name`, `value`, `default` and `meaning`, secrets hidden."""
    return [
        {
            "name": variable.name,
            "value": _shown(variable, environment.get(variable.name) or variable.default),
            "default": variable.default,
            "meaning": variable.meaning,
        }
        for variable in VARIABLES.values()
    ]


def _shown(variable: Variable, text: str) -> str:
    return "(set)" if text and variable.name.endswith(SECRET_ENDINGS) else text


def load(environment: Mapping[str, str]) -> dict[str, Any]:
    """Every variable's effective value: from the environment where it is set and not empty, else the default.

    Raises:
        Invalid: a value is not what it must be.
    """
    return {name: variable.parse(environment.get(name) or variable.default) for name, variable in VARIABLES.items()}


def home(environment: Mapping[str, str]) -> Path:
    """ARES_HOME; made, for its owner alone, where it is missing.

    Raises:
        Invalid: it cannot be made.
    """
    variable = VARIABLES["ARES_HOME"]
    path: Path = variable.parse(environment.get(variable.name) or variable.default)
    try:
        path.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise Invalid(f"ARES_HOME cannot be made: {error}.") from None
    return path


def kept_secret_key(folder: Path) -> str:
    """The key that signs cookies where ARES_SECRET_KEY is not set: made once and kept in the home's secrets.

    Raises:
        Invalid: the home cannot be written.
    """
    path = folder / "secrets" / "secret_key"
    try:
        path.parent.mkdir(mode=0o700, exist_ok=True)
        if not path.exists():
            draft = path.with_name(f"{path.name}.{os.getpid()}")
            draft.touch(mode=0o600)
            draft.write_text(secrets.token_urlsafe(50))
            with suppress(FileExistsError):  # another process was quicker: its key holds
                os.link(draft, path)
            draft.unlink()
        return path.read_text()
    except OSError as error:
        raise Invalid(f"ARES_HOME cannot be used: {error}.") from None
