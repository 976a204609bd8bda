"""`POST` and `GET /sessions/{id}/messages`."""

import re

import pytest

from tests.api.conftest import ApiClient


@pytest.fixture
def messages(api: ApiClient) -> str:
    """The address of a session's messages."""
    return f"/sessions/{api.post('/sessions', {'user_id': 'ann'}).json()['id']}/messages"


def test_one_message_is_answered_with_one(api: ApiClient, messages: str) -> None:
    sent = {
        "role": "assistant", "content": "hi", "name": "n", "tool_calls": [{"id": "c", "n": 2**70}], "tool_call_id": "t",
        "occurred_at": "2026-05-01T11:30:00+02:00",
    }  # fmt: skip
    response = api.post(messages, sent)
    assert response.status_code == 201
    shown = response.json()
    assert re.fullmatch(r"msg_[0-9a-f]{24}", shown["id"])
    assert {**sent, "occurred_at": "2026-05-01T09:30:00Z"}.items() <= shown.items()
    assert (shown["number"], shown["event_version"], f"/sessions/{shown['session_id']}/messages") == (1, 2, messages)
    assert api.get(messages).json() == {"next": None, "previous": None, "results": [shown]}


def test_a_list_is_answered_with_a_list_in_its_order(api: ApiClient, messages: str) -> None:
    response = api.post(messages, [{"role": "user", "content": str(n)} for n in range(1000)])
    assert response.status_code == 201
    assert [(message["number"], message["content"]) for message in response.json()] == [
        (n + 1, str(n)) for n in range(1000)
    ]


@pytest.mark.parametrize("role", ["user", "wizard", "développeur", "🧙", "a b", "r" * 50])
def test_roles_that_nobody_knows_are_kept_as_sent(api: ApiClient, messages: str, role: str) -> None:
    assert api.post(messages, {"role": role, "content": "hi"}).json()["role"] == role
    assert api.get(messages).json()["results"][0]["role"] == role


@pytest.mark.parametrize(
    "content", ["", "é\u2028\t", [], [{"type": "text", "text": "a"}, {"type": "image", "n": 2**70}], ["a"]]
)
def test_content_is_a_text_or_a_list_of_parts(api: ApiClient, messages: str, content: object) -> None:
    assert api.post(messages, {"role": "user", "content": content}).json()["content"] == content
    assert api.get(messages).json()["results"][0]["content"] == content


def test_null_content_goes_with_calls(api: ApiClient, messages: str) -> None:
    shown = api.post(messages, {"role": "assistant", "content": None, "tool_calls": [{"id": "c"}]}).json()
    assert (shown["content"], shown["tool_calls"]) == (None, [{"id": "c"}])


def test_a_thousand_messages_are_taken_and_one_more_is_not(api: ApiClient, messages: str) -> None:
    response = api.post(messages, [{"role": "user", "content": "x"}] * 1001)
    assert (response.status_code, response.json()["limit"]) == (413, 1000)
    assert api.post(messages, []).status_code == 400
    assert api.get(messages).json()["results"] == []
