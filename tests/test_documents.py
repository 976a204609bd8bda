"""The documents keep up with the code: links lead somewhere, what is to be pasted works, tables say what the code says."""

import json
import os
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest
from django.core.management import get_commands
from django.test import Client
from drf_spectacular.generators import SchemaGenerator

from aresweb import env
from memory import conf, tenants
from memory.flight.hints.rules import RULES
from memory.imports.formats import FORMATS
from memory.models import Stream, Tenant, User
from memory.tenancy import tenant_scope
from memory.vocabulary import EventType, Outcome, Role
from tests.flight.hints.telling import hints

ROOT = Path(__file__).parents[1]
DOCUMENTS = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")])
LINK = re.compile(r"!?\[[^\]]*\]\(([^)\s]+)\)")


def prose(document: Path) -> str:
    """A document without its blocks of code."""
    return re.sub(r"^ *```.*?^ *```", "", document.read_text(), flags=re.MULTILINE | re.DOTALL)


def section(document: Path, heading: str) -> str:
    """What stands under a heading, up to the next one of any level."""
    found = re.search(rf"^#+ {heading}\n(.*?)(?=^#|\Z)", document.read_text(), flags=re.MULTILINE | re.DOTALL)
    assert found, f"{document.name} has no section {heading!r}"
    return found[1]


def rows(text: str) -> list[list[str]]:
    """The cells of every row of the one table in a text, without its head."""
    lines = [line for line in text.splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in line.strip("|").split(" | ")] for line in lines[2:]]


def anchors(document: Path) -> set[str]:
    """The fragments that a document's headings can be linked by."""
    headings = re.findall(r"^#+ (.*)$", prose(document), flags=re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading).strip().lower().replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_every_link_leads_to_a_file_and_a_heading(document: Path) -> None:
    for link in LINK.findall(prose(document)):
        if "://" in link:
            continue
        name, _, fragment = link.partition("#")
        target = (document.parent / name).resolve() if name else document
        assert target.exists(), link
        assert target.is_relative_to(ROOT), link
        assert not fragment or fragment in anchors(target), link


def test_every_decision_is_listed() -> None:
    folder = ROOT / "docs" / "adr"

    listed = re.findall(r"\((\d{4}-[\w-]+\.md)\)", (folder / "README.md").read_text())

    assert listed == sorted(path.name for path in folder.glob("0*.md"))


def test_the_table_of_variables_says_what_the_code_says() -> None:
    written = rows(section(ROOT / "docs" / "operations.md", "Configuration"))

    variables = [(variable.name, variable.default, variable.meaning) for variable in env.VARIABLES.values()]
    settings = [(setting.name, str(setting.default), setting.meaning) for setting in conf.SETTINGS.values()]
    assert written == [
        [f"`{name}`", f"`{default}`" if default else "", meaning] for name, default, meaning in variables + settings
    ]


def test_the_commands_that_are_told_of_are_there() -> None:
    told = set(re.findall(r"manage\.py ([a-z_]+)", "".join(path.read_text() for path in DOCUMENTS)))

    assert told
    assert told <= get_commands().keys()


def test_the_targets_of_make_that_are_told_of_are_there() -> None:
    told = set(re.findall(r"`(?:\w+=\S+ )*make ([a-z-]+)", "".join(path.read_text() for path in DOCUMENTS)))
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), flags=re.MULTILINE))

    assert {"run", "test"} <= told <= targets


def test_the_table_of_formats_lists_them_all() -> None:
    written = [row[0] for row in rows(section(ROOT / "README.md", "Runs that were made elsewhere"))]

    assert written == [f"`{known.NAME}`" for known in FORMATS]


def test_the_table_of_addresses_lists_them_all() -> None:
    schema = SchemaGenerator().get_schema(request=None, public=True)
    there = {
        (method.upper(), re.sub(r"\{\w+_id\}", "{id}", path.removeprefix("/api/v1")))
        for path, methods in schema["paths"].items()
        if path.startswith("/api/v1/")
        for method in methods
    }

    head = (ROOT / "docs" / "api.md").read_text().partition("\n## ")[0]
    written = set()
    for cell, _ in rows(head):
        methods: list[str] = []
        for method, path in re.findall(r"`([A-Z]+)(?: (/\S+))?`", cell):
            methods.append(method)
            if path:
                written |= {(waiting, path) for waiting in methods}
                methods = []

    assert written == there


def test_every_event_type_that_aresweb_understands_is_described() -> None:
    described = set(re.findall(r"`([a-z]+\.[a-z]+)`", (ROOT / "docs" / "events.md").read_text()))

    assert {str(known) for known in EventType} <= described


def test_the_table_of_rules_says_what_the_code_says() -> None:
    written = rows(section(ROOT / "docs" / "hints.md", "Rules"))

    assert written == [[f"`{rule.name}`", str(rule.severity), rule.finds, rule.silenced_by] for rule in RULES.values()]


@pytest.mark.parametrize("rule", RULES)
def test_the_example_of_a_rule_gives_its_hint_and_no_other(rule: str) -> None:
    example = re.search(r"```json\n(.*?)```", section(ROOT / "docs" / "hints.md", f"`{rule}`"), flags=re.DOTALL)
    assert example

    told = []
    for line in example[1].splitlines():
        event = json.loads(line)
        told += [(event["type"], event["payload"], event.get("after_seconds", 1))] * event.get("times", 1)

    assert [hint.rule for hint in hints(*told)] == [rule]


def test_the_glossary_is_in_order_and_has_the_words_of_the_code() -> None:
    words = [row[0].strip("*") for row in rows((ROOT / "docs" / "glossary.md").read_text())]
    text = (ROOT / "docs" / "glossary.md").read_text()

    assert words == sorted(words, key=str.lower)
    for word in (*Outcome, *Role):
        assert word in text


@pytest.mark.django_db(transaction=True)
def test_the_first_event_is_recorded_by_pasting_the_readme(live_server: Any, acme: Tenant, acme_key: str) -> None:
    told = section(ROOT / "README.md", "Your first recorded event")
    lines = "".join(re.findall(r"^```sh\n(.*?)^```", told, flags=re.MULTILINE | re.DOTALL))
    assert "http://localhost:8000" in lines
    strict = "set -euo pipefail\ncurl() { command curl --fail-with-body \"$@\"; }\n"  # fmt: skip

    pasted = subprocess.run(
        ["bash", "-c", strict + lines.replace("http://localhost:8000", live_server.url)],
        env={"PATH": os.environ["PATH"], "ARES_API_KEY": acme_key},
        capture_output=True,
        text=True,
        check=False,
    )

    assert pasted.returncode == 0, pasted.stdout + pasted.stderr
    assert pasted.stderr == ""
    with tenant_scope(acme.pk):
        [stream] = Stream.objects.all()
    assert (stream.version, stream.agent_id, stream.title) == (4, "weather-agent", "An umbrella for Oslo")
    assert '"pending_tool_calls": []' in pasted.stdout
    address = pasted.stdout.splitlines()[-1]
    assert address == f"{live_server.url}/runs/{stream.name}/"
    assert "An umbrella for Oslo" in _seen_by_a_member(acme, address.removeprefix(live_server.url))


def _seen_by_a_member(tenant: Tenant, path: str) -> str:
    user = User.objects.create_user("mara@example.com", "correct horse battery")
    tenants.join(user, tenant, Role.VIEWER)
    browser = Client()
    browser.force_login(user)
    response = browser.get(path)
    assert response.status_code == 200
    return response.content.decode()
