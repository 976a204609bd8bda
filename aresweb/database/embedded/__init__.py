"""The PostgreSQL that aresweb runs by itself, in ARES_HOME, where DATABASE_URL names no other."""

from aresweb.database.embedded.errors import EmbeddedServerError
from aresweb.database.embedded.server import EmbeddedServer

__all__ = ["EmbeddedServer", "EmbeddedServerError"]
