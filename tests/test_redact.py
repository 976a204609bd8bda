"""Secrets are taken out, and words about secrets are not."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory.redact import REDACTED, redact, redact_json
from tests.distillation.turning import chat, extracted

LETTERS = "0123456789abcdefghijABCDEFGHIJ012345"
SECRETS = [
    "AKIAIOSFODNN7EXAMPLE", f"ghp_{LETTERS}", f"github_pat_{LETTERS}", "glpat-abcdefghij0123456789", "xoxb-123456789012-abcdefghijkl",
    "sk_live_51H8abcdefghijklmnopqrstuv", "sk-proj-abcdEFGH1234567890abcdEFGH", "AIzaSyA1234567890abcdefghijklmnopqrstuv", f"hf_{LETTERS}",
    "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.abcdefghijklmnopqrst", "4111 1111 1111 1111", "5500-0000-0000-0004", "378282246310005",
    "-----BEGIN RSA PRIVATE KEY-----\nMIIEabc\n-----END RSA PRIVATE KEY-----",
]  # fmt: skip
NAMED = [
    ("password: ", "swordfish"), ("my password is ", "swordfish"), ("PASSWORD='", "Tr0ub4dor&3"), ("password: ", "P4ss.word1"), ("?token=", "abc123def456"),
    ("aws_secret_access_key = ", "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"), ("postgres://app:", "s3cretpw@db:5432/x"), ("Authorization: Bearer ", "abcdef0123456789abcdef"),
    ("api_key: ", "9f8e7d6c5b4a"), ("client_secret=", "GOCSPX-abcdefghijklmnop"), ("密码是", "abc12345"), ("口令：", "swordfish"),
]  # fmt: skip


@pytest.mark.parametrize("secret", SECRETS)
def test_a_secret_is_taken_out_wherever_it_stands(secret: str) -> None:
    text, count = redact(f"Deploying with {secret} fails, why?")

    assert text == f"Deploying with {REDACTED} fails, why?"
    assert count == 1


@pytest.mark.parametrize("around", ["{} 0", "12 {}", "1 2 {} 3 4", "{} {}", "card {}, order 77"])
def test_a_card_among_other_numbers_is_found(around: str) -> None:
    text, _ = redact(around.replace("{}", "4111 1111 1111 1111"))

    assert text == around.replace("{}", REDACTED)


@pytest.mark.parametrize(("name", "secret"), NAMED)
def test_what_is_called_a_secret_is_taken_out_and_its_name_stays(name: str, secret: str) -> None:
    text, _ = redact(f"Look: {name}{secret} fails, why?")

    assert secret.partition("@")[0] not in text
    assert name.strip() in text


@pytest.mark.parametrize(
    "text",
    [
        "The password is wrong.", "My password is not accepted.", "The token limit is 4096.", "token: str", "token is expired", "password = os.environ['X']",
        "token = settings.TOKEN", "password = getpass()", "secret = secrets.token_hex(16)", "max_tokens=4096", "input_tokens: 1200", "密码是什么？",
        "commit 9fceb02d0ae598e95dc970b74767f19372d61af8", "order 4111 1111 1111 1112", "npm-run-all-and-something-long", "An exception in the token parser.",
    ],
)  # fmt: skip
def test_words_about_secrets_and_numbers_that_are_no_cards_stay(text: str) -> None:
    assert redact(text) == (text, 0)


around = st.text(st.characters(codec="utf-8"), max_size=80)


@given(before=around, after=around, secret=st.sampled_from(SECRETS), role=st.sampled_from([0, 1]))
@settings(max_examples=150, deadline=None)
def test_no_planted_secret_stands_in_a_candidate(before: str, after: str, secret: str, role: int) -> None:
    said = ["Why does the build fail with E42?", "Pin setuptools to 68.2."]
    said[role] += f" {before} {secret} {after}"

    found = extracted(chat(*said))

    for each in (*found.candidates, *found.dropped):
        assert secret not in f"{each.text}"


@pytest.mark.parametrize(
    ("value", "left"),
    [
        ({"password": "hunter2hunter2"}, {"password": REDACTED}),
        ({"login": {"api_key": "zebra-okapi-1"}}, {"login": {"api_key": REDACTED}}),
        (["my password is hunter2hunter2", 7], [f"my password is {REDACTED}", 7]),
        ({"card": 4111111111111111, "n": 3}, {"card": REDACTED, "n": 3}),
        ({"token": 4000, "max_tokens": 123456, "tokens": 9}, {"token": 4000, "max_tokens": 123456, "tokens": 9}),
        ({"password": 12345678, "ok": True, "none": None, "x": 0.5}, {"password": REDACTED, "ok": True, "none": None, "x": 0.5}),
        ({"token": "how many are left", "city": "Berlin"}, {"token": "how many are left", "city": "Berlin"}),
    ],
)  # fmt: skip
def test_secrets_go_out_of_any_json_and_a_key_may_call_them_so(value: Any, left: Any) -> None:
    assert redact_json(value) == left
