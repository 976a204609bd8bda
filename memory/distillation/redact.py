"""Secrets leave a text before anything is learned from it. Found by detect-secrets and a few rules beside it. Pure."""

import re
from collections.abc import Iterable
from functools import cache
from typing import Any

from detect_secrets.core.plugins.util import get_mapping_from_secret_type_to_class

REDACTED = "[redacted]"
# Guesses by entropy call every hash and id a secret, and the word "password" alone is none: those have rules below.
_UNUSED = frozenset(
    {"Base64HighEntropyString", "HexHighEntropyString", "KeywordDetector", "IPPublicDetector", "PrivateKeyDetector"}
)
_PRIVATE_KEY = re.compile(r"-----BEGIN [A-Z ]*PRIVATE KEY-----.*?(?:-----END [A-Z ]*PRIVATE KEY-----|\Z)", re.DOTALL)
_NAMED = re.compile(
    r"""(?P<name>(?:\b|_)(?:password|passwd|passphrase|pwd|secret|api[_ -]?key|access[_ -]?key|secret[_ -]?key|auth[_ -]?token|access[_ -]?token|token|credentials?|pin\ code)"""
    r"""["']?\s{0,3}(?:=>?|:=?|\bis\b:?)\s{0,3}["'`]?|(?:密码|口令|密钥|令牌)\s{0,3}(?:是|为|：|:|=)\s{0,3}["'`]?)"""
    r"""(?P<value>[^\s"'`,;，。；]{4,200})""",
    re.IGNORECASE,
)
_BEARER = re.compile(r"(?P<name>\b(?:Bearer|Basic)\s+)(?P<value>[A-Za-z0-9._~+/=-]{16,})", re.IGNORECASE)
_PREFIXED = re.compile(
    r"\b(?:ares|sk|pk|rk|ghp|gho|ghs|glpat|xox[abprs]|hf|npm|pypi|AIza|ya29)[_-][A-Za-z0-9_\-]{16,}|\bAIza[A-Za-z0-9_\-]{30,}"
)
_CARD = re.compile(r"(?<![\d.-])\d(?:[ -]?\d){12,18}(?![\d-])")
# Words that follow "password is" and are none.
_PLAIN_WORD = re.compile(
    r"[a-z]+[.!?]?|[\u4e00-\u9fff]+|\[redacted\]|\*+|<[^>]*>|\$\{?\w+\}?|None|null|true|false", re.IGNORECASE
)


def redact(text: str) -> tuple[str, int]:
    """The text with each secret replaced by `[redacted]`, and how many there were."""
    count = 0

    def hide(found: re.Match[str]) -> str:
        nonlocal count
        groups = found.groupdict()
        value = groups.get("value", "")
        if value and _PLAIN_WORD.fullmatch(value):
            return found[0]
        count += 1
        return f"{groups.get('name', '')}{REDACTED}"

    def hide_card(found: re.Match[str]) -> str:
        nonlocal count
        if not _is_card(found[0]):
            return found[0]
        count += 1
        return REDACTED

    for pattern in (_PRIVATE_KEY, _PREFIXED, _BEARER, _NAMED):
        text = pattern.sub(hide, text)
    text = _CARD.sub(hide_card, text)
    for secret in _detected(text):
        count += text.count(secret)
        text = text.replace(secret, REDACTED)
    return text, count


def _detected(text: str) -> list[str]:
    """What the detector's rules take for secrets, the longest first, so that a part never hides its whole."""
    found = {secret for plugin in _plugins() for secret in plugin.analyze_string(text) if len(secret) > 3}
    return sorted(found - {REDACTED}, key=len, reverse=True)


@cache
def _plugins() -> list[Any]:
    classes: Iterable[Any] = get_mapping_from_secret_type_to_class().values()
    return [made() for made in classes if made.__name__ not in _UNUSED]


def _is_card(digits: str) -> bool:
    """Whether the check digit is right: Luhn's algorithm, ISO/IEC 7812-1, annex B; and an issuer begins like this."""
    numbers = [int(digit) for digit in digits if digit.isdigit()]
    if numbers[0] not in (3, 4, 5, 6) or len(set(numbers)) < 2:
        return False
    doubled = [sum(divmod(2 * number, 10)) if place % 2 else number for place, number in enumerate(reversed(numbers))]
    return sum(doubled) % 10 == 0
