"""Secrets leave a text before anything is learned from it, or it is shown as a title. Found by detect-secrets and a few
rules beside it. Pure."""

import re
from collections.abc import Iterable
from functools import cache
from typing import Any

from detect_secrets.core.plugins.util import get_mapping_from_secret_type_to_class

REDACTED = "[redacted]"
LEAST_NUMBER = 100_000
# Guesses by entropy call every hash and id a secret, and the word "password" alone is none: those have rules below.
_UNUSED = frozenset(
    {"Base64HighEntropyString", "HexHighEntropyString", "KeywordDetector", "IPPublicDetector", "PrivateKeyDetector"}
)
_PRIVATE_KEY = re.compile(r"-----BEGIN [A-Z ]*PRIVATE KEY-----.*?(?:-----END [A-Z ]*PRIVATE KEY-----|\Z)", re.DOTALL)
_NAMED = re.compile(
    r"""(?P<name>(?:\b|_|\bPG)(?:password|passwd|passphrase|passwort|kennwort|mot de passe|contraseña|pwd|secret|api[_ -]?key|access[_ -]?key|account[_ -]?key|secret[_ -]?key|auth[_ -]?token|access[_ -]?token|token|credentials?|pin\ code)"""
    r"""["']?\s{0,3}(?:=>?|:=?|(?:(?:for|of|on)(?:\ [\w.@-]{1,40}){1,3}?\s{1,3})?(?P<said>\b(?:is|ist|est|es)\b:?))\s{0,3}["'`]?|(?<!-)--(?:password|token|secret|api-key)\ ["']?|(?:密码|口令|密钥|令牌)\s{0,3}(?:是|为|：|:|=)\s{0,3}["'`]?)"""
    r"""(?P<value>[^\s"'`,;，。；]{4,200})""",
    re.IGNORECASE,
)
_LOGIN = re.compile(
    r"""(?P<name>(?:^|\s)(?:-u|--user)[ =]["']?[\w.@-]{1,80}:)(?P<value>(?!\d+(?:\s|$))[^\s"']{4,200})"""
)
_BEARER = re.compile(r"(?P<name>\b(?:Bearer|Basic)\s+)(?P<value>[A-Za-z0-9._~+/=-]{16,})", re.IGNORECASE)
_PREFIXED = re.compile(
    r"\b(?:ares|sk|pk|rk|ghp|gho|ghs|ghu|ghr|github_pat|glpat|xox[abprs]|hf|npm|pypi|AIza|ya29)[_-](?=[A-Za-z_-]{0,100}\d)[A-Za-z0-9_\-]{16,}|\bAIza[A-Za-z0-9_\-]{30,}|\beyJ[\w-]{8,}\.[\w-]{4,}(?:\.[\w-]*)?"
)
_DIGITS = re.compile(r"(?<![\d.-])\d(?:[ -]?\d){12,60}(?![\d-])")
# How the digits of cards are grouped, by ISO/IEC 7812 and as printed.
_GROUPINGS = frozenset({(13,), (14,), (15,), (16,), (19,), (4, 4, 4, 4), (4, 6, 5), (4, 6, 4), (4, 4, 4, 4, 3)})
# What follows "password is" and "token =" and is none: a word about it, a type, a place in a program.
_NO_SECRET = re.compile(
    r"""(?:wrong|incorrect|invalid|expired|missing|empty|required|optional|needed|not|too|the|set|stored|hashed|saved|sent|reset|changed|correct|right"""
    r"""|valid|never|always|only|also|being|now|still|here|there|what|where|used|using|generated|different|same|weak|strong|secure|safe|lost|forgotten"""
    r"""|unknown|based|limit|count|usage|budget|bucket|str|string|int|bool|text|bytes|none|null|true|false|undefined|optional\[\w*)[.!?)\]]*"""
    r"""|[\u4e00-\u9fff]+|\[redacted\]|\*+|<[^>]*>?|\$\{?\w+\}?|%\w+%?|\{+\w*\}*|[A-Za-z_]+\(.*\)|[A-Za-z_]+(?:\.[A-Za-z_]+)+(?:[\[(].*)?""",
    re.IGNORECASE,
)
# After "is", a word without digits and signs is more often about the secret than the secret.
_OWN = re.compile(r"\bmy\s$", re.IGNORECASE)
_SAID_WORD = re.compile(r"[a-z]+[.!?]?", re.IGNORECASE)


def redact(text: str) -> tuple[str, int]:
    """The text with each secret replaced by `[redacted]`, and how many there were."""
    count = 0

    def hide(found: re.Match[str]) -> str:
        nonlocal count
        groups = found.groupdict()
        value = groups.get("value", "")
        before = text[max(0, found.start() - 12) : found.start()]
        said = groups.get("said") and _SAID_WORD.fullmatch(value) and not _OWN.search(before)
        if value and (said or _NO_SECRET.fullmatch(value)):
            return found[0]
        count += 1
        return f"{groups.get('name', '')}{REDACTED}"

    def hide_cards(found: re.Match[str]) -> str:
        nonlocal count
        kept, hidden = _without_cards(found[0])
        count += hidden
        return kept

    for pattern in (_PRIVATE_KEY, _PREFIXED, _BEARER, _LOGIN, _NAMED):
        text = pattern.sub(hide, text)
    text = _DIGITS.sub(hide_cards, text)
    for secret in _detected(text):
        count += text.count(secret)
        text = text.replace(secret, REDACTED)
    return text, count


def redact_json(value: Any) -> Any:
    """Any JSON with the secrets in its texts replaced; what a key calls one goes as a whole: `{"password": …}`."""
    if isinstance(value, dict):
        return {redact(key)[0]: _named(key, inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [redact_json(each) for each in value]
    if isinstance(value, str):
        return redact(value)[0]
    if isinstance(value, int) and not isinstance(value, bool) and redact(str(value))[1]:
        return REDACTED
    return value


def _named(key: str, value: Any) -> Any:
    """A value under its key, which may call it a secret; short numbers are counts and limits of tokens."""
    plain = redact_json(value)
    is_number = isinstance(value, int) and not isinstance(value, bool) and abs(value) >= LEAST_NUMBER
    if plain == value and (isinstance(value, str) or is_number) and redact(f"{key}: {value}")[1]:
        return REDACTED
    return plain


def _detected(text: str) -> list[str]:
    """What the detector's rules take for secrets, the longest first, so that a part never hides its whole."""
    found = {secret for plugin in _plugins() for secret in plugin.analyze_string(text) if len(secret) > 3}
    return sorted(found - {REDACTED}, key=len, reverse=True)


@cache
def _plugins() -> list[Any]:
    classes: Iterable[Any] = get_mapping_from_secret_type_to_class().values()
    return [made() for made in classes if made.__name__ not in _UNUSED]


def _without_cards(digits: str) -> tuple[str, int]:
    """Groups of digits with the numbers of cards in them replaced, and how many there were."""
    groups = [(found.start(), found.end()) for found in re.finditer(r"\d+", digits)]
    if _is_card(digits):
        return REDACTED, 1
    for first in range(len(groups)):
        for last in range(first, min(first + 5, len(groups))):
            begin, end = groups[first][0], groups[last][1]
            grouping = tuple(stop - start for start, stop in groups[first : last + 1])
            if grouping in _GROUPINGS and _is_card(digits[begin:end]):
                after = digits[end : end + 1]
                rest, more = _without_cards(digits[end + 1 :]) if after else ("", 0)
                return f"{digits[:begin]}{REDACTED}{after}{rest}", more + 1
    return digits, 0


def _is_card(digits: str) -> bool:
    """Whether the check digit is right: Luhn's algorithm, ISO/IEC 7812-1, annex B; and an issuer begins like this."""
    numbers = [int(digit) for digit in digits if digit.isdigit()]
    if not 13 <= len(numbers) <= 19 or numbers[0] not in (3, 4, 5, 6) or len(set(numbers)) < 2:
        return False
    doubled = [sum(divmod(2 * number, 10)) if place % 2 else number for place, number in enumerate(reversed(numbers))]
    return sum(doubled) % 10 == 0
