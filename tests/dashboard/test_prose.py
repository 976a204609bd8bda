"""Texts of payloads as they are read best."""

import base64
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dashboard.prose import markdown, told, tree

HOSTILE = [
    "**b** <script>alert(1)</script>",
    "**b** <svg onload=alert(1)>",
    "[x](javascript:alert(1))",
    "[x](JaVaScRiPt:alert(1))",
    "[x](data:text/html;base64,PHNjcmlwdD4=)",
    "[x](vbscript:x)",
    '[x](https://e.org/"onmouseover="alert(1))',
    "`<img src=x onerror=alert(1)>`",
    "![x](https://example.com/pixel.png)",
    "<https://e.org/><b>**x**",
]


@pytest.mark.parametrize("text", HOSTILE)
def test_nothing_that_a_payload_says_becomes_html_by_itself(text: str) -> None:
    html = markdown(text) or ""
    lower = html.lower()
    assert not any(f"<{tag}" in lower for tag in ("script", "svg", "img", "b>", "iframe"))
    assert 'href="javascript' not in lower
    assert 'href="data' not in lower
    assert 'href="vbscript' not in lower
    assert '"onmouseover' not in lower


@pytest.mark.parametrize("text", ["Just a sentence.", "2 * 3 = 6", "a_b_c", "", "1.5 is a number"])
def test_plain_text_is_no_markdown(text: str) -> None:
    assert markdown(text) is None


def test_markdown_is_rendered() -> None:
    html = markdown("# Title\n\n- one\n- **two**\n\n```\ncode <b>\n```")
    assert html is not None
    assert "<h1>Title</h1>" in html
    assert "<strong>two</strong>" in html
    assert "code &lt;b&gt;" in html


def test_json_is_a_tree_with_the_sizes_of_its_parts() -> None:
    text = json.dumps({"rows": [{"id": 1}, {"id": 2}], "note": "x" * 100})
    made = tree(text)
    assert made is not None
    assert [(child.key, child.size, child.text[:1]) for child in made.children] == [("rows", 2, ""), ("note", 0, "x")]


@pytest.mark.parametrize("text", ["{}", "[" * 200, '{"a": ' * 200, json.dumps(list(range(5000))), "x" * 200])
def test_what_is_no_tree_of_a_readable_size_is_left_as_text(text: str) -> None:
    assert tree(text) is None


def test_bytes_are_told_instead_of_shown() -> None:
    picture = base64.b64encode(b"\x89PNG\r\n\x1a\n" + bytes(range(256))).decode()
    assert told(picture) == "PNG picture, 264 bytes in base64"
    assert told(f"data:image/png;base64,{picture}") == "PNG picture, 264 bytes in base64"
    assert told("data:application/x-thing;base64,AAAA") == "application/x-thing, 3 bytes in base64"


@pytest.mark.parametrize("text", ["word", "a" * 400, "not base64 " * 50, "A1b" * 100 + "!"])
def test_words_are_not_taken_for_bytes(text: str) -> None:
    assert told(text) is None


@given(st.text())
def test_any_text_is_read(text: str) -> None:
    markdown(text)
    tree(text)
    told(text)
