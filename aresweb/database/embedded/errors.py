"""What can go wrong with the embedded PostgreSQL. Every message tells the operator what to do about it."""


class EmbeddedServerError(Exception):
    """The embedded PostgreSQL cannot be used."""


class BinariesMissing(EmbeddedServerError):
    """The Python environment does not carry the PostgreSQL that aresweb runs."""


class HomeUnusable(EmbeddedServerError):
    """ARES_HOME, or something in it, cannot be created, read, written or locked, or belongs to another user."""


class UserNamespaceRefused(EmbeddedServerError):
    """aresweb runs as root and the system offers no user namespace in which PostgreSQL could run as somebody else."""


class SocketDirectoryUnsafe(EmbeddedServerError):
    """The directory for the socket exists and is not this user's alone."""


class WrongVersion(EmbeddedServerError):
    """The data was made by another major version of PostgreSQL."""


class InitialisationFailed(EmbeddedServerError):
    """`initdb` could not make the data directory."""


class StartFailed(EmbeddedServerError):
    """PostgreSQL did not start, or does not answer."""


class StopFailed(EmbeddedServerError):
    """PostgreSQL did not end in time after it was told to."""
