"""The OpenAPI schema tells the truth, and its pages need nothing from outside."""

import re
from io import StringIO
from typing import Any

import pytest
import yaml
from django.contrib.staticfiles import finders
from django.core.management import call_command
from django.test import Client

from tests.api.conftest import ApiClient


@pytest.fixture(scope="module")
def schema() -> Any:
    """The schema, checked."""
    out = StringIO()
    call_command("spectacular", "--validate", "--fail-on-warn", stdout=out)
    return yaml.safe_load(out.getvalue())


def test_the_schema_is_valid_and_names_every_resource(schema: Any) -> None:
    methods = {path.removeprefix("/api/v1"): sorted(operations) for path, operations in schema["paths"].items()}
    assert methods == {
        "/sessions": ["post"],
        "/sessions/{session_id}": ["delete", "get"],
        "/sessions/{session_id}/messages": ["get", "post"],
        "/sessions/{session_id}/context": ["post"],
        "/tasks": ["post"],
        "/tasks/{task_id}": ["get", "patch"],
        "/sessions/{session_id}/distillations": ["post"],
        "/tasks/{task_id}/distillations": ["post"],
        "/distillations": ["get"],
        "/distillations/{distillation_id}": ["delete", "get"],
        "/distillations/{distillation_id}/acceptances": ["post"],
        "/experiences": ["get"],
        "/experiences/{experience_id}": ["delete", "get", "patch"],
        "/experiences/{experience_id}/revisions": ["get"],
        "/experiences/{experience_id}/feedback": ["post"],
        "/experiences/{experience_id}/reversions": ["post"],
        "/experiences/{experience_id}/merges": ["post"],
        "/experiences/{experience_id}/splits": ["post"],
        "/streams": ["get"],
        "/streams/{stream}/events": ["get", "post"],
        "/streams/{stream}/state": ["get"],
        "/streams/{stream}/verification": ["get", "post"],
        "/streams/{stream}/export": ["get"],
        "/streams/{stream}/fixture": ["get"],
        "/runs/{a}/diff/{b}": ["get"],
        "/runs/{stream}/steps/{version}/changes": ["get"],
        "/runs/{stream}/steps/{version}/context": ["get"],
        "/runs/{stream}/steps/{version}/fork": ["get"],
        "/agents": ["get"],
        "/agents/{agent_id}": ["get"],
        "/agents/{agent_id}/recovery": ["post"],
        "/users/{user_id}/content": ["delete"],
        "/events/{event_id}/causes": ["get"],
        "/events/{event_id}/effects": ["get"],
        "/runs/{stream}/hints": ["get"],
        "/events": ["get"],
        "/knowledge": ["get", "post"],
        "/knowledge/{knowledge_id}": ["delete", "get"],
        "/tools": ["get", "post"],
        "/tools/{tool_id}": ["delete", "get"],
        "/search": ["post"],
        "/runs/{stream}/suspects": ["get"],
        "/usage/savings": ["get"],
        "/usage/entries": ["get"],
    }
    operations = [operation for path in schema["paths"].values() for operation in path.values()]
    assert all(operation["security"] == [{"ApiKey": []}] and operation["description"] for operation in operations)


def resolved(schema: Any, node: Any) -> Any:
    while "$ref" in node:
        node = schema["components"]["schemas"][node["$ref"].rsplit("/", 1)[1]]
    return node


def assert_fits(schema: Any, node: Any, value: Any) -> None:
    """The value has the fields that the schema says, at every depth."""
    node = resolved(schema, node)
    if node.get("type") == "array":
        assert isinstance(value, list)
        for item in value:
            assert_fits(schema, node["items"], item)
    elif "properties" in node:
        assert value.keys() == node["properties"].keys()
        for name, inner in node["properties"].items():
            assert_fits(schema, inner, value[name])
    elif value is None:
        assert node.get("nullable") or not node.get("type") or node["type"] == "string"


def test_every_answer_has_the_status_and_the_fields_that_the_schema_says(schema: Any, api: ApiClient) -> None:
    session = api.post("/sessions", {"user_id": "u", "agent_id": "ops"}).json()["id"]
    task = api.post("/tasks", {"session_id": session, "input": "x"}).json()["id"]
    event = {"events": [{"id": "e1", "type": "a.b"}]}
    document = api.post("/knowledge", {"title": "t", "text": "x"}).json()["id"]
    tool = api.post("/tools", {"name": "n", "description": "x"}).json()["id"]
    for method, template, body in [
        ("POST", "/sessions", {"user_id": "u"}), ("GET", "/sessions/{session_id}", None),
        ("POST", "/sessions/{session_id}/messages", {"role": "user", "content": "x"}), ("GET", "/sessions/{session_id}/messages", None),
        ("POST", "/tasks", {"session_id": session, "input": "x"}), ("GET", "/tasks/{task_id}", None),
        ("PATCH", "/tasks/{task_id}", {"status": "completed"}), ("GET", "/streams", None), ("POST", "/streams/{stream}/events", event),
        ("POST", "/streams/{stream}/events", event), ("GET", "/streams/{stream}/events", None), ("GET", "/streams/{stream}/state", None),
        ("GET", "/streams/{stream}/fixture", None), ("GET", "/agents", None), ("GET", "/agents/{agent_id}", None),
        ("POST", "/agents/{agent_id}/recovery", {}), ("POST", "/agents/{agent_id}/recovery", {"limit": 5}), ("GET", "/events", None),
        ("POST", "/knowledge", {"title": "t", "text": "x"}), ("GET", "/knowledge", None), ("GET", "/knowledge/{knowledge_id}", None),
        ("POST", "/tools", {"name": "n", "description": "x"}), ("POST", "/tools", {"name": "m", "description": "x"}), ("GET", "/tools", None),
        ("GET", "/tools/{tool_id}", None), ("POST", "/search", {"query": "x"}), ("DELETE", "/sessions/{session_id}", None),
    ]:  # fmt: skip
        response = api.call(
            method,
            template.format(
                session_id=session, task_id=task, stream="run", agent_id="ops", knowledge_id=document, tool_id=tool
            ),
            body,
        )
        told = schema["paths"][f"/api/v1{template}"][method.lower()]["responses"]
        assert str(response.status_code) in told, (method, template)
        assert_fits(schema, told[str(response.status_code)]["content"]["application/json"]["schema"], response.json())


def test_schema_and_documentation_need_no_key(db: None) -> None:
    client = Client()
    assert client.get("/api/schema/").status_code == 200
    assert "aresweb" in client.get("/api/docs/").content.decode()


def test_the_documentation_uses_only_what_is_served_here(db: None) -> None:
    client = Client()
    page = client.get("/api/docs/")
    used = re.findall(r"(?:src|href)=\"([^\"]+)\"", page.content.decode())
    assert len(used) >= 4
    for address in used:
        assert address.startswith("/")
        assert not address.startswith("//")
        if address.startswith("/static/"):
            assert finders.find(address.removeprefix("/static/").partition("?")[0]), address
        else:
            assert client.get(address).status_code == 200
    script = client.get(next(address for address in used if "script" in address))
    assert re.findall(r"https?://", script.content.decode()) == []
    policy = page["Content-Security-Policy"]
    assert "default-src 'self'" in policy
    assert "http" not in policy


def test_the_documentation_page_runs_no_script_of_its_own_text(db: None) -> None:
    scripts = re.findall(r"<script([^>]*)>(.*?)</script>", Client().get("/api/docs/").content.decode(), re.DOTALL)
    assert scripts
    assert all("src=" in attributes and not text.strip() for attributes, text in scripts)
