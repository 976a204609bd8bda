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
    r"""(?P<name>(?:\b|_|\bPG)(?:password|passwd|passphrase|passwort|kennwort|mot de passe|contraseña|pwd|secret|api[_ -]?key|access[_ -]?key|account[_ -]?key|secret[_ -]?key|auth[_ -]?token|access[_ -]?token|token|credentials?|pin\ code)"""
    r"""(?:["']?\s{0,3}(?:=>?|:=?)|(?:\ (?:for|of|on)(?:\ [\w.@-]{1,40}){1,3}?)?\s{1,3}(?:is|ist|est|es)\b:?)\s{0,3}["'`]?"""
    r"""|(?:密码|口令|密钥|令牌)\s{0,3}(?:是|为|：|:|=)\s{0,3}["'`]?|--(?:password|token|secret|api-key)\ ["']?)"""
    r"""(?P<value>[^\s"'`,;，。；]{4,200})""",
    re.IGNORECASE,
)
_LOGIN = re.compile(
    r"""(?P<name>(?:^|\s)(?:-u|--user)[ =]["']?[\w.@-]{1,80}:)(?P<value>(?!\d+(?:\s|$))[^\s"']{4,200})"""
)
_BEARER = re.compile(r"(?P<name>\b(?:Bearer|Basic)\s+)(?P<value>[A-Za-z0-9._~+/=-]{16,})", re.IGNORECASE)
_PREFIXED = re.compile(
    r"\b(?:ares|sk|pk|rk|ghp|gho|ghs|github_pat|glpat|xox[abprs]|hf|npm|pypi|AIza|ya29)[_-][A-Za-z0-9_\-]{16,}|\bAIza[A-Za-z0-9_\-]{30,}"
)
_CARD = re.compile(r"(?<![\d.-])\d(?:[ -]?\d){12,18}(?![\d-])")
# What stands for a secret that is none, and words that follow "password is" in a sentence; after an equals sign, in
# quotes or as an argument of a command such a word is the secret itself.
_PLACEHOLDER = re.compile(r"\[redacted\]|\*+|<[^>]*>|\$\{?\w+\}?|None|null|true|false", re.IGNORECASE)
_PLAIN_WORD = re.compile(r"[a-z]+[.!?]?|[\u4e00-\u9fff]+", re.IGNORECASE)
_ASSIGNED = re.compile(r"""=|["'`]$|^--""")


def redact(text: str) -> tuple[str, int]:
    """The text with each secret replaced by `[redacted]`, and how many there were."""
    count = 0

    def hide(found: re.Match[str]) -> str:
        nonlocal count
        groups = found.groupdict()
        name, value = groups.get("name", ""), groups.get("value", "")
        if _PLACEHOLDER.fullmatch(value) or (_PLAIN_WORD.fullmatch(value) and not _ASSIGNED.search(name)):
            return found[0]
        count += 1
        return f"{name}{REDACTED}"

    def hide_card(found: re.Match[str]) -> str:
        nonlocal count
        if not _is_card(found[0]):
            return found[0]
        count += 1
        return REDACTED

    for pattern in (_PRIVATE_KEY, _PREFIXED, _BEARER, _NAMED, _LOGIN):
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
