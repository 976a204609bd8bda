"""Code, logs and stack traces."""

import json

import pytest

from memory.distillation.evidence import condense, is_failure, is_output, is_technical

TRACE = (
    "Traceback (most recent call last):\n  File \"/srv/main.py\", line 12, in <module>\n    run()\nKeyError: 'region'"
)


def test_a_trace_is_told_by_the_line_that_names_the_error() -> None:
    assert condense(f"My job dies:\n{TRACE}") == "My job dies:\nKeyError: 'region'"


def test_a_trace_that_is_quoted_in_json_is_read_as_one() -> None:
    quoted = json.dumps([["user", f"Your solution failed:\n{TRACE}"]])

    told = condense(quoted)

    assert "Your solution failed:" in told
    assert "KeyError: 'region'" in told
    assert "line 12" not in told


def test_long_code_is_told_by_its_first_lines() -> None:
    code = "\n".join(f"step_{number}()" for number in range(20))

    told = condense(f"```python\n{code}\n```")

    assert told.startswith("step_0()")
    assert told.endswith("… (14 more lines)")


@pytest.mark.parametrize(
    "text",
    [
        "See src/app/main.py.",
        "It is in /var/log/syslog.",
        "`make build` fails",
        "sudo systemctl restart nginx",
        "HTTP 502",
        "app.yaml is wrong",
    ],
)
def test_paths_commands_and_errors_are_technical(text: str) -> None:
    assert is_technical(text)


@pytest.mark.parametrize(
    "text", ["Bring his and/or her coat.", "It was on 12/05/2024.", "Spelling/format mistakes", "24/7 fun"]
)
def test_a_slash_alone_is_no_path(text: str) -> None:
    assert not is_technical(text)


@pytest.mark.parametrize(
    ("text", "written", "failed"),
    [
        ("Observation: 3 files found", True, False),
        ("OUTPUT:\n42", True, False),
        ('{"rows": 3, "error": "no such table"}', True, True),
        (TRACE, True, True),
        ("Your code failed the test:\nValueError: bad bins", True, True),
        ("0  CTRB1  0.017\n1  KLK1  0.013\n2  PRSS3  0.006", True, False),
        ("Add a test for the parser in src/parser.py", False, False),
        ("It prints an error, why?", False, True),
        ("My order is 12345-6789-0123", False, False),
        ("ABC123", False, False),
    ],
)
def test_what_a_program_wrote_is_told_from_what_somebody_said(text: str, written: bool, failed: bool) -> None:
    assert (is_output(text), is_failure(text)) == (written, failed)
