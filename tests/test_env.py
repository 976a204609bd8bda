"""The variables of the installation: what they take, and what is said of a wrong value."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from aresweb import env
from memory import conf
from memory.errors import Invalid

ROOT = Path(__file__).parents[1]


def test_what_is_not_set_or_empty_has_its_default() -> None:
    values = env.load({"PORT": "", "ARES_HTTPS": ""})

    assert (values["PORT"], values["ARES_HTTPS"], values["ARES_DEMO"]) == (8000, False, True)
    assert values["DATABASE_URL"] is None
    assert values["ARES_ALLOWED_HOSTS"] == []
    assert values["ARES_HOME"] == ROOT / ".ares"


def test_what_is_set_is_read_by_its_type() -> None:
    values = env.load(
        {
            "PORT": "8001",
            "ARES_DEMO": "off",
            "ARES_HOME": "/var/lib/ares",
            "ARES_ALLOWED_HOSTS": "ares.example.com, .example.org,[2001:db8::1]",
            "DATABASE_URL": "postgres://me:p%40ss@db.example.com:6432/ares?sslmode=require",
        }
    )

    assert (values["PORT"], values["ARES_DEMO"], values["ARES_HOME"]) == (8001, False, Path("/var/lib/ares"))
    assert values["ARES_ALLOWED_HOSTS"] == ["ares.example.com", ".example.org", "[2001:db8::1]"]
    found = values["DATABASE_URL"]
    assert (found["HOST"], found["PORT"], found["NAME"]) == ("db.example.com", 6432, "ares")
    assert (found["USER"], found["PASSWORD"], found["OPTIONS"]) == ("me", "p@ss", {"sslmode": "require"})


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("PORT", "http"),
        ("PORT", "0"),
        ("PORT", "65536"),
        ("PORT", "8000.5"),
        ("PORT", "٨٠٠٠"),
        ("ARES_BIND", "everywhere"),
        ("ARES_HOME", "a\x00b"),
        ("ARES_DEMO", "maybe"),
        ("ARES_WEB_WORKERS", "-1"),
        ("ARES_WORKERS", "many"),
        ("ARES_ALLOWED_HOSTS", "https://ares.example.com"),
        ("ARES_ALLOWED_HOSTS", "ares.example.com:8000"),
        ("ARES_SECRET_KEY", "short"),
        ("ARES_BROKER_URL", "amqp://localhost"),
        ("DATABASE_URL", "mysql://u:geheim@h/db"),
        ("DATABASE_URL", "postgres://u:geheim@h"),
        ("DATABASE_URL", "postgres://u:geheim@h:port/db"),
        ("DATABASE_URL", "postgres://u:ge/heim@h/db"),
        ("DATABASE_URL", "geheim"),
    ],
)
def test_a_wrong_value_is_refused_by_name_and_no_password_is_told(name: str, text: str) -> None:
    with pytest.raises(Invalid) as refused:
        env.load({name: text})

    assert refused.value.detail.startswith(f"{name} must ")
    assert "geheim" not in refused.value.detail
    assert "\n" not in refused.value.detail


@pytest.mark.parametrize("command", [["manage.py", "check"], ["-m", "gunicorn", "--config", "python:aresweb.gunicorn"]])
@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("PORT", "http", "PORT must be a whole number from 1 to 65535, not 'http'."),
        ("ARES_MAX_BATCH", "lots", "ARES_MAX_BATCH must be a whole number, not 'lots'."),
        ("ARES_HOME", "/dev/null/ares", "ARES_HOME cannot be made: [Errno 20] Not a directory: '/dev/null/ares'."),
        ("ARES_HOME", "/proc", "ARES_HOME cannot be used: [Errno 2] No such file or directory: '/proc/secrets'."),
    ],
)
def test_a_wrong_value_ends_every_program_with_one_line(command: list[str], name: str, text: str, said: str) -> None:
    environment = {**os.environ, "DJANGO_SETTINGS_MODULE": "aresweb.settings", name: text}

    ended = subprocess.run(
        [sys.executable, *command], cwd=ROOT, env=environment, capture_output=True, text=True, check=False
    )

    assert ended.returncode == 1
    assert ended.stderr == f"aresweb cannot start: {said}\n"


def test_the_process_wins_over_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / ".env").write_text("PORT=8001\nARES_MAX_BATCH=7\n# a remark\n")
    monkeypatch.setattr(env, "BASE_DIR", tmp_path)
    monkeypatch.setenv("PORT", "8002")
    monkeypatch.delenv("ARES_MAX_BATCH")

    read = env.read()

    assert (env.load(read)["PORT"], conf.load(read)["ARES_MAX_BATCH"]) == (8002, 7)


def test_a_file_that_is_no_text_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / ".env").write_bytes(b"PORT=\xff")
    monkeypatch.setattr(env, "BASE_DIR", tmp_path)

    with pytest.raises(Invalid, match=r"\.env cannot be read"):
        env.read()


def test_the_secret_key_is_made_once_and_for_its_owner_alone(tmp_path: Path) -> None:
    first, second = env.kept_secret_key(tmp_path), env.kept_secret_key(tmp_path)

    assert first == second
    assert len(first) >= env.SECRET_KEY_LENGTH
    assert [path.name for path in (tmp_path / "secrets").iterdir()] == ["secret_key"]
    assert (tmp_path / "secrets").stat().st_mode & 0o077 == 0
    assert (tmp_path / "secrets" / "secret_key").stat().st_mode & 0o077 == 0


def test_every_default_is_valid_and_every_meaning_a_sentence() -> None:
    for variable in env.VARIABLES.values():
        variable.parse(variable.default)
        assert variable.meaning.endswith((".", "`."))
    for setting in conf.SETTINGS.values():
        assert setting.parse(str(setting.default)) == setting.default
        assert setting.meaning.endswith(".")
    assert not env.VARIABLES.keys() & conf.SETTINGS.keys()
