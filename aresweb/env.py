"""The environment: variables, then `.env` beside manage.py. Read once, by the settings."""

import os
import secrets
from contextlib import suppress
from pathlib import Path

from dotenv import dotenv_values

BASE_DIR = Path(__file__).resolve().parent.parent


def read() -> dict[str, str]:
    """Every variable that is set: the process's own ones win over those of `.env`."""
    from_file = {name: text for name, text in dotenv_values(BASE_DIR / ".env").items() if text is not None}
    return from_file | dict(os.environ)


def flag(environment: dict[str, str], name: str, default: bool) -> bool:
    """A switch: 1, true, yes, on or 0, false, no, off.

    Raises:
        ValueError: any other text.
    """
    text = environment.get(name, "").strip().lower()
    if text in ("1", "true", "yes", "on"):
        return True
    if text in ("0", "false", "no", "off"):
        return False
    if not text:
        return default
    raise ValueError(f"{name} must be 1 or 0, not {text!r}")


def words(environment: dict[str, str], name: str, default: str) -> list[str]:
    """A list, separated by commas."""
    return [word.strip() for word in environment.get(name, default).split(",") if word.strip()]


def home(environment: dict[str, str]) -> Path:
    """The folder of data, logs and secrets; made, for its owner alone, where it is missing."""
    path = Path(environment.get("ARES_HOME") or BASE_DIR / ".ares").expanduser().absolute()
    path.mkdir(mode=0o700, parents=True, exist_ok=True)
    return path


def secret_key(environment: dict[str, str], folder: Path) -> str:
    """The key that signs cookies: ARES_SECRET_KEY, else one that is made once and kept in the home's secrets."""
    if environment.get("ARES_SECRET_KEY"):
        return environment["ARES_SECRET_KEY"]
    path = folder / "secrets" / "secret_key"
    path.parent.mkdir(mode=0o700, exist_ok=True)
    if not path.exists():
        draft = path.with_name(f"{path.name}.{os.getpid()}")
        draft.touch(mode=0o600)
        draft.write_text(secrets.token_urlsafe(50))
        with suppress(FileExistsError):  # another process was quicker: its key holds
            os.link(draft, path)
        draft.unlink()
    return path.read_text()
