"""Bodies and values that a broken or hostile client may send."""

from typing import Any

NUL = b'"a\\u0000b"'
RAW_NUL = b'"a\x00b"'
LONE_SURROGATE = b'"a\\ud800b"'
REVERSED_PAIR = b'"\\udc00\\ud800"'
DEEP = b"[" * 5_000 + b"]" * 5_000
DEEP_OBJECT = b'{"a":' * 5_000 + b"1" + b"}" * 5_000
TOO_DEEP_TO_RECORD = b"[" * 300 + b"]" * 300
INVALID_UTF8 = b'"\xff\xfe"'
OVERLONG_UTF8 = b'"\xc0\x80"'
NAN = b"NaN"
INFINITY = b"-Infinity"
OVERFLOWING = b"1e999"
ENDLESS_DIGITS = b"9" * 5_000
TWICE = b'{"a": 1, "a": 2}'

# What no field may hold, whatever its type: each is JSON text.
NEVER = {
    "NUL": NUL,
    "raw NUL": RAW_NUL,
    "lone surrogate": LONE_SURROGATE,
    "reversed surrogate pair": REVERSED_PAIR,
    "5,000 deep": DEEP,
    "5,000 deep object": DEEP_OBJECT,
    "300 deep": TOO_DEEP_TO_RECORD,
    "invalid UTF-8": INVALID_UTF8,
    "overlong UTF-8": OVERLONG_UTF8,
    "NaN": NAN,
    "infinity": INFINITY,
    "a number that overflows": OVERFLOWING,
    "5,000 digits": ENDLESS_DIGITS,
    "a key twice": TWICE,
}

# Of these, the ones that JSON can hold: in a field that nobody reads they do no harm.
READABLE = {
    "5,000 deep",
    "5,000 deep object",
    "NUL",
    "lone surrogate",
    "reversed surrogate pair",
    "300 deep",
    "a number that overflows",
}

# What has the wrong type for most fields, or an odd value of the right one.
ODD: list[Any] = [
    None, True, 0, -1, 1.5, 2**63, 10**400, "", " ", "x" * 201, "x" * 100_000, "\x7f", "é", [], [None], {}, {"a": {}},
    [{"function": 1}], "2026-05-01T09:30:00", "9999-12-31T23:59:59-23:59",
]  # fmt: skip
