"""Lines of the log, without what opens something: keys, passwords in addresses, and the ends of links that log in."""

import logging
import re

# Each pattern's first group stays.
SECRETS = (
    re.compile(r"(\bares_[0-9a-f]{12}_)[A-Za-z0-9_-]{43}"),
    re.compile(r"(\b[Bb]earer )[^\s'\"]{8,}"),
    re.compile(r"(\b[a-z][a-z0-9+.-]*://[^\s:/@'\"]*:)[^\s@/'\"]+(?=@)"),
    re.compile(r"(/invitations/)[^\s/'\"?]{8,}"),
    re.compile(r"(/password/reset/[0-9A-Za-z]+-)[^\s/'\"?]{8,}"),
    re.compile(r"([?&](?:code|state|id_token)=)[^\s&'\"]+"),
)


class Discreet(logging.Formatter):
    """A formatter that blanks them in messages and tracebacks alike."""

    def format(self, record: logging.LogRecord) -> str:
        return discreet(super().format(record))


def discreet(line: str) -> str:
    """The line with every secret in it blanked."""
    for pattern in SECRETS:
        line = pattern.sub(r"\1…", line)
    return line
