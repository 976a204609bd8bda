"""What stops the demo. What goes wrong inside a trouble is the agent's to deal with, and is recorded."""


class DemoError(Exception):
    """The demo cannot go on; the text says why and what to do."""


class RecorderError(DemoError):
    """The API refused a record."""


class RecorderUnavailable(RecorderError):
    """The API did not answer, or said that it cannot now: the same request may be sent again."""


class ScratchUnusable(DemoError):
    """The database cannot be reached, or does not let the demo have its schema."""
