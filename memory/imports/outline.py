"""What a JSON file looks like from its beginning alone, so that its format can be told before it is read."""

import re
from functools import lru_cache

# Keys below this many containers say nothing about a format.
MAX_DEPTH = 5
# A key with its colon, another string (closed or not), or a bracket. Possessive: one pass whatever the text.
_TOKEN = re.compile(r'"([^"\\]*+(?:\\.[^"\\]*+)*+)"\s*+:|"[^"\\]*+(?:\\.[^"\\]*+)*+"?|[\[\]{}]', re.DOTALL)


@lru_cache(maxsize=1)  # every format asks about the same head
def outline(head: bytes) -> frozenset[str]:
    """The paths of the keys of a file's records, as far as `head` shows them.

    The path of `{"a": {"b": [{"c": 1}]}}` are `a`, `a.b`, `a.b[]` and `a.b[].c`; they are the same where such objects
    stand in an array, or one a line.
    """
    text = head.decode("utf-8-sig", "replace")
    if not text.lstrip().startswith(("{", "[")):
        return frozenset()
    found: set[str] = set()
    containers: list[str] = []  # of each open container, what the paths inside of it begin with
    key = ""
    for token in _TOKEN.finditer(text):
        if token[1] is not None:
            key = token[1]
            if containers and len(containers) <= MAX_DEPTH:
                found.add(_child(containers[-1], key))
        elif token[0] in "[{":
            path = _child(containers[-1], key) if containers and len(containers) <= MAX_DEPTH else ""
            containers.append(path + "[]" if token[0] == "[" else path + ".")
            if token[0] == "[":
                found.add(containers[-1])
        elif token[0] in "]}" and containers:
            containers.pop()
    return frozenset(path.removeprefix("[].").removeprefix("[]").removeprefix(".") for path in found) - {""}


def _child(container: str, key: str) -> str:
    """The path of a value: an element of an array has the array's own, a member of an object adds its key."""
    return container + key if container.endswith(".") else container
