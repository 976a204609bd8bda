"""The page of benchmarks: the newest results, with what they were measured on, beside what a tenant saved itself."""

import json
import re
from html import unescape
from pathlib import Path
from typing import Any

import pytest
from django.test import Client

from bench import report
from dashboard import benchmarks
from memory.models import Tenant
from memory.tenancy import tenant_scope
from tests.tokens.making import context, record

TABLE: dict[str, Any] = {
    "title": "One <conversation>",
    "measured_at": "2026-05-01T10:00:00+00:00",
    "commit": "abc123",
    "machine": "A processor, 2 cores",
    "chart": {"x": "rounds", "y": ["saved %", "published %"], "label": "not sent, %"},
    "rows": [
        {"rounds": 10, "saved %": 75.14, "published %": 67.3, "answered": "9/10"},
        {"rounds": 20, "saved %": 87.6, "published %": 83.8, "answered": "19/20"},
    ],
}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(benchmarks, "FOLDER", tmp_path)
    return tmp_path


def put(folder: Path, name: str, **changed: Any) -> None:
    (folder / name).write_text(json.dumps(TABLE | changed))


def seen(pages: Client) -> str:
    response = pages.get("/savings/benchmarks/")
    assert response.status_code == 200
    return " ".join(response.content.decode().split())


def test_a_result_tells_what_was_measured_when_and_on_what(pages: Client, folder: Path) -> None:
    put(folder, "savings-conversation.json")
    page = seen(pages)
    assert "One &lt;conversation&gt;" in page
    assert 'datetime="2026-05-01T10:00:00+00:00"' in page
    assert "<code>abc123</code>" in page
    assert "A processor, 2 cores" in page
    assert "<code>make bench ARGS=savings</code>" in page
    assert '<th scope="row">10</th><td class="num">75.1</td><td class="num">67.3</td><td class="num">9/10</td>' in page


def test_its_curves_are_those_that_it_names(pages: Client, folder: Path) -> None:
    put(folder, "savings-conversation.json")
    (text,) = re.findall(
        r'<script id="figure-savings-conversation" type="application/json">(.*?)</script>', seen(pages)
    )
    data = json.loads(unescape(text))["data"]
    assert [(line["name"], line["x"], line["y"]) for line in data] == [
        ("saved %", [10, 20], [75.14, 87.6]),
        ("published %", [10, 20], [67.3, 83.8]),
    ]


@pytest.mark.parametrize(
    "chart", [None, {"x": "rounds", "y": ["answered"], "label": ""}, {"x": "no such column", "y": [], "label": ""}]
)
def test_a_table_that_cannot_be_drawn_is_a_table(pages: Client, folder: Path, chart: Any) -> None:
    put(folder, "savings-budget.json", chart=chart)
    page = seen(pages)
    assert "figure-savings-budget" not in page
    assert "9/10" in page


def test_without_results_the_page_tells_the_command(pages: Client, folder: Path) -> None:
    page = seen(pages)
    assert "Nothing was measured yet" in page
    assert "make bench ARGS=savings" in page


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "{",
        '{"title": "x"}',
        json.dumps(TABLE).replace("75.14", "NaN"),
        json.dumps(TABLE | {"measured_at": "yesterday"}),
        json.dumps(TABLE | {"measured_at": "2026-05-01T10:00:00"}),
        json.dumps(TABLE | {"rows": [1]}),
        json.dumps(TABLE | {"chart": {"y": 7}}),
        "[" * 100_000,
        " " * 1_000_001,
        "\udcff",
    ],
)
def test_what_is_no_result_is_named_and_spoils_nothing(pages: Client, folder: Path, text: str) -> None:
    put(folder, "append.json")
    (folder / "broken.json").write_bytes(text.encode("utf-8", "surrogateescape"))
    page = seen(pages)
    assert "No result could be read from broken.json" in page
    assert "One &lt;conversation&gt;" in page


def test_a_published_table_can_be_read(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(report, "RESULTS", folder)
    report.publish("some-thing", "Something", ("n", "x"), [(1, 2.0)], report.Chart("n", ("x",), "x"))
    (found,) = benchmarks.read(folder).results
    assert (found.title, found.columns, found.rows) == ("Something", ["n", "x"], [["1", "2"]])
    assert found.figure
    assert "cores" in found.machine


def test_live_figures_are_those_of_this_tenant_alone(pages: Client, folder: Path, acme: Tenant, globex: Tenant) -> None:
    with tenant_scope(acme.pk):
        record(context(5000, 1000), stream="one")
    with tenant_scope(globex.pk):
        record(context(9000, 1), stream="theirs")
    page = seen(pages)
    assert "4,000 tokens saved" in page
    assert "80.0 % of what there was" in page
    assert "8,999" not in page


def test_savings_lead_to_it(pages: Client) -> None:
    assert 'href="/savings/benchmarks/"' in pages.get("/savings/").content.decode()


def test_whoever_is_not_logged_in_sees_nothing(client: Client) -> None:
    assert client.get("/savings/benchmarks/").status_code == 302
