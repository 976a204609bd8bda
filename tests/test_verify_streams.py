"""`manage.py verify_streams`: what it prints, what it reports, and how it ends."""

import json
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db import OperationalError

from memory.events import store, verification
from memory.models import Tenant, Verification
from memory.tenancy import tenant_scope
from tests.events.making import drafted
from tests.events.tampering import tamper

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def _recorded(acme: Tenant, globex: Tenant) -> None:
    """A stream of five events in each tenant, and another one in Acme."""
    for tenant, names in ((acme, ("run", "other")), (globex, ("run",))):
        with tenant_scope(tenant.pk):
            for name in names:
                store.append(name, [drafted() for _ in range(5)])


def verify(*arguments: str) -> tuple[int, str]:
    """The exit code and what is printed."""
    out = StringIO()
    try:
        call_command("verify_streams", *arguments, stdout=out)
    except SystemExit as ended:
        return int(ended.code or 0), out.getvalue()
    return 0, out.getvalue()


def report(*arguments: str) -> tuple[int, Any]:
    code, printed = verify(*arguments, "--json", "-")
    return code, json.loads(printed)


def forge(tenant: Tenant) -> None:
    tamper(tenant, "UPDATE memory_event SET type = 'a.b' WHERE version = 3")


def test_all_streams_of_all_tenants_are_verified(acme: Tenant) -> None:
    code, printed = verify()
    assert code == 0
    assert printed.startswith("3 streams with 15 events in ")
    assert printed.endswith("all in order.\n")
    with tenant_scope(acme.pk):
        assert Verification.objects.count() == 2


def test_findings_are_printed_with_their_place_and_end_with_1(globex: Tenant) -> None:
    forge(globex)
    code, printed = verify()
    assert code == 1
    assert "globex: run, event 3: chain-broken." in printed
    assert printed.endswith(": 1 fault.\n")


def test_a_tenant_and_a_stream_can_be_chosen(globex: Tenant) -> None:
    forge(globex)
    assert report("--tenant", "acme")[1]["streams"] == 2
    assert report("--tenant", "acme", "--stream", "run")[1]["streams"] == 1
    assert report("--stream", "run")[1]["streams"] == 2
    assert report("--stream", "other")[0] == 0
    assert report("--tenant", "globex")[0] == 1


def test_the_report_for_machines_is_json_alone(globex: Tenant, tmp_path: Path) -> None:
    forge(globex)
    code, told = report()
    assert code == 1
    assert told.keys() == {"started_at", "seconds", "streams", "events", "audit_entries", "faults", "findings"}
    assert (told["streams"], told["events"], told["faults"]) == (3, 15, 1)
    [found] = told["findings"]
    assert (found["tenant"], found["stream"], found["version"], found["fault"]) == ("globex", "run", 3, "chain-broken")
    file = tmp_path / "report.json"
    assert verify("--json", str(file))[0] == 1
    assert json.loads(file.read_text())["findings"] == [found]


@pytest.mark.parametrize(
    "arguments",
    [
        ("--tenant", "nobody"),
        ("--stream", "nothing"),
        ("--tenant", "globex", "--stream", "other"),
        ("--json", "/no/such"),
    ],
)
def test_what_is_not_there_ends_with_2(arguments: tuple[str, ...]) -> None:
    with pytest.raises(CommandError) as caught:
        verify(*arguments)
    assert caught.value.returncode == 2


def test_a_database_that_does_not_answer_ends_with_2(monkeypatch: pytest.MonkeyPatch) -> None:
    def gone(stream: Any) -> Any:
        raise OperationalError("the connection is lost")

    monkeypatch.setattr(verification, "verify", gone)
    with pytest.raises(CommandError, match="the connection is lost") as caught:
        verify()
    assert caught.value.returncode == 2
