"""What is taken for a secret, and what only speaks of one. Pure."""

import pytest

from memory.redact import REDACTED, redact


@pytest.mark.parametrize(
    ("text", "secret"),
    [
        ("password=swordfish", "swordfish"),
        ("DB_PASSWORD=letmein", "letmein"),
        ("PGPASSWORD=s3cr3t psql", "s3cr3t"),
        ('{"password": "swordfish"}', "swordfish"),
        ("mysqldump --password swordfish shop", "swordfish"),
        ("curl -u admin:S3cretPw1 http://localhost/", "S3cretPw1"),
        ("The password for the db is Hunter2!x", "Hunter2!x"),
        ("Das Passwort ist Geheim123!", "Geheim123!"),
        ("github_pat_11ABCDEFG0abcdefghijklmnop", "11ABCDEFG0abcdefghijklmnop"),
        ("AccountKey=Zm9vYmFyYmF6cXV4Zm9v", "Zm9vYmFyYmF6cXV4Zm9v"),
        ("my password is correct-horse-battery", "correct-horse-battery"),
        ("密码是 hunter22", "hunter22"),
    ],
)
def test_a_secret_is_taken_out(text: str, secret: str) -> None:
    left, count = redact(text)
    assert secret not in left
    assert (REDACTED in left, count) == (True, 1)


@pytest.mark.parametrize(
    "text",
    [
        "The password is required.",
        "The token for production is expired",
        "password: required",
        "password=${DB_PASSWORD}",
        "password=None",
        "token=<token>",
        "docker run -u 1000:1000 shop",
        "The answer is 4711, whatever the secret of it was",
    ],
)
def test_what_only_speaks_of_a_secret_is_left(text: str) -> None:
    assert redact(text) == (text, 0)
