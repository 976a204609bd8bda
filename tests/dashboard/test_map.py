"""The page with the map of experiences."""

import json
import re

import pytest
from django.test import Client

from memory.layers import experience_map
from memory.models import Tenant
from tests.dashboard.conftest import seen
from tests.layers.test_experience_map import known

pytestmark = pytest.mark.django_db(transaction=True)


def test_a_map_that_is_not_drawn_yet_is_asked_for(pages: Client, acme: Tenant, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[tuple[object, ...]] = []
    monkeypatch.setattr("memory.jobs.enqueue", lambda job, *arguments: asked.append((job.__name__, *arguments)))
    assert "Nothing to draw yet" in seen(pages, "/memory/map/")
    assert asked == []
    known(acme, "Order 7 is paid.")
    assert "A worker is drawing it." in seen(pages, "/memory/map/")
    assert asked == [("draw_map", acme.pk)]


def test_each_experience_is_a_mark_that_leads_to_it(pages: Client, acme: Tenant) -> None:
    one, other = known(acme, "Order 7 is <b>paid</b>.", "The disk is full.")
    experience_map.draw(acme.pk)
    page = pages.get("/memory/map/").content.decode()
    told = re.search(r'<script id="figure-map" type="application/json">(.*?)</script>', page)
    assert told is not None
    [trace] = json.loads(told[1])["data"]
    assert set(trace["customdata"]) == {f"/memory/experiences/{one}/", f"/memory/experiences/{other}/"}
    assert "Order 7 is &lt;b&gt;paid&lt;/b&gt;." in trace["text"]
    assert "Drawn" in page


def test_the_page_learns_when_the_new_map_is_there(pages: Client, acme: Tenant) -> None:
    known(acme, "Order 7 is paid.")
    ask = {"HX-Request": "true"}
    assert "every 4s" in pages.get("/memory/map/", headers=ask).content.decode()
    experience_map.draw(acme.pk)
    told = pages.get("/memory/map/", headers=ask).content.decode()
    assert "Show the new map" in told
    assert "every 4s" not in told
