"""The pieces of a stream in their table. Needs a tenant's scope."""

from collections.abc import Collection

from memory import sql
from memory.models import Stream


class KeptPieces:
    """`memory.flight.pieces.Pieces` of a stream; what was added is written by `write`, in one statement."""

    def __init__(self, stream: Stream) -> None:
        self._stream = stream
        self._known: dict[int, int | None] = {}  # None: it was looked for, and nobody has it
        self._added: set[int] = set()

    def versions_of(self, digests: Collection[int]) -> dict[int, int]:
        """See `Pieces`."""
        unknown = [digest for digest in digests if digest not in self._known]
        if unknown:
            self._known |= dict.fromkeys(unknown)
            self._known |= dict(sql.run("pieces_of", {"stream_id": self._stream.pk, "digests": unknown}))
        return {digest: version for digest in digests if (version := self._known[digest]) is not None}

    def add(self, version: int, digests: Collection[int]) -> None:
        """See `Pieces`."""
        self._known |= dict.fromkeys(digests, version)
        self._added.update(digests)

    def write(self) -> None:
        """Write what was added."""
        digests = list(self._added)
        if digests:
            versions = [self._known[digest] for digest in digests]
            sql.run("keep_pieces", {"stream_id": self._stream.pk, "digests": digests, "versions": versions})
        self._added.clear()
