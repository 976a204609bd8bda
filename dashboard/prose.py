"""Texts of payloads as they are read best: markdown, a tree of JSON, bytes told instead of shown. Pure.

Nothing that a payload says becomes HTML by itself: markdown is read without its HTML, and loads nothing.
"""

import base64
import binascii
import json
import re
from dataclasses import dataclass, field
from typing import Any

from django.utils.safestring import SafeString, mark_safe
from markdown_it import MarkdownIt

# HTML stays text, and so do links to scripts, files and data (markdown-it checks them); pictures are not loaded.
_MARKDOWN = MarkdownIt("commonmark", {"html": False}).enable(["table", "strikethrough"]).disable("image")
# Signs that somebody wrote markdown: a heading, a list, a fence, a table, emphasis, code, a link.
_SIGNS = re.compile(
    r"^(?:#{1,6} |[-*+] |\d+[.)] |>|```|~~~|\|.+\|)|\*\*\S[^*\n]*\*\*|`[^`\n]+`|\[[^\]\n]+\]\([^)\n]+\)", re.MULTILINE
)
_DATA_URL = re.compile(r"data:(?P<kind>[\w.+/-]*)(?:;[\w=.-]+)*;base64,(?P<content>[A-Za-z0-9+/=\s]+)\Z")
# Shorter words of these letters are words.
_SHORTEST_BASE64 = 256
_BASE64 = re.compile(r"[A-Za-z0-9+/]+={0,2}\Z")
# Beyond this a tree takes longer to open than to read the text.
MOST_NODES = 500
DEEPEST = 30
SHORTEST_TREE = 120
# The first bytes of what is sent as base64 most (their specifications name them).
SIGNATURES = (
    (b"\x89PNG\r\n\x1a\n", "PNG picture"),
    (b"\xff\xd8\xff", "JPEG picture"),
    (b"GIF8", "GIF picture"),
    (b"RIFF", "WebP or WAV"),
    (b"%PDF-", "PDF"),
    (b"PK\x03\x04", "ZIP archive"),
    (b"\x1f\x8b", "gzip"),
)


@dataclass(frozen=True, slots=True)
class Node:
    """A value of a JSON text: `text` for a scalar, `children` for an object or an array of `size` members."""

    key: str
    text: str = ""
    size: int = 0
    is_list: bool = False
    children: list["Node"] = field(default_factory=list)


def markdown(text: str) -> SafeString | None:
    """The text as HTML where it is written in markdown; None for plain text."""
    if not _SIGNS.search(text):
        return None
    html: str = _MARKDOWN.render(text).replace("<a href=", '<a rel="noopener noreferrer nofollow" href=')
    return mark_safe(html)  # noqa: S308 - the parser escapes what is not markdown, HTML included


def tree(text: str) -> Node | None:
    """The text as a tree where it is a JSON object or array of some size; None for others."""
    if len(text) < SHORTEST_TREE or text.lstrip()[:1] not in ("{", "["):
        return None
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return None
    budget = [MOST_NODES]
    made = _node("", value, 0, budget)
    return made if budget[0] >= 0 else None


def told(text: str) -> str | None:
    """What is said in the place of a text that is bytes in base64: what they are and how many; None for others."""
    url = _DATA_URL.match(text)
    content = url["content"] if url else text.strip()
    if not url and (len(content) < _SHORTEST_BASE64 or len(content) % 4 or not _BASE64.match(content)):
        return None
    try:
        read = base64.b64decode(content)
    except (binascii.Error, ValueError):
        return None
    kind = next((name for begin, name in SIGNATURES if read.startswith(begin)), url["kind"] if url else "")
    if not url and not kind and _is_text(content):
        return None
    return f"{kind or 'bytes'}, {len(read):,} bytes in base64"


def _is_text(content: str) -> bool:
    """Whether it may as well be a text of one long word: base64 mixes digits, capitals and small letters."""
    return not (re.search(r"\d", content) and re.search(r"[A-Z]", content) and re.search(r"[a-z]", content))


def _node(key: str, value: Any, depth: int, budget: list[int]) -> Node:
    budget[0] -= 1
    if budget[0] < 0 or depth > DEEPEST:
        budget[0] = -1
        return Node(key)
    if isinstance(value, dict):
        return Node(key, size=len(value), children=[_node(k, v, depth + 1, budget) for k, v in value.items()])
    if isinstance(value, list):
        members = [_node(str(index), v, depth + 1, budget) for index, v in enumerate(value)]
        return Node(key, size=len(value), is_list=True, children=members)
    if isinstance(value, str):
        return Node(key, text=told(value) or value)
    return Node(key, text=json.dumps(value))
