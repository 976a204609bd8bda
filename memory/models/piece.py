"""Pieces: by which digests the texts and ids of a stream's events are recognised when they come back."""

from django.db import models

from memory.models.stream import Stream
from memory.models.tenant import Tenant


class Piece(models.Model):
    """The newest event of a stream that has a piece of text, or an id, with this digest. See `memory.flight.pieces`."""

    pk = models.CompositePrimaryKey("tenant_id", "stream_id", "digest")
    tenant = models.ForeignKey(Tenant, models.CASCADE, db_constraint=False, db_index=False)
    stream = models.ForeignKey(Stream, models.CASCADE, db_constraint=False, db_index=False)
    digest = models.BigIntegerField()
    version = models.BigIntegerField()
