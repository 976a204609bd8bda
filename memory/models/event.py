"""Events: what happened. Written by `memory.events.store` alone, never changed."""

import json
from collections.abc import Collection
from datetime import datetime
from functools import cached_property
from typing import Any

from django.contrib.postgres.indexes import BrinIndex
from django.db import models
from django.db.models import Q
from django.db.models.expressions import RawSQL
from django.db.models.functions import Cast

from memory.models.stream import Stream
from memory.models.tenant import Tenant
from memory.vocabulary import EVENT_TYPE_MAX_LENGTH, IDENTIFIER_MAX_LENGTH, EventType


class JSONTextField(models.TextField):  # type: ignore[type-arg]  # not generic at run time
    """JSON as the very text that was written: no number, key order or escape is changed on the way."""

    def db_type(self, connection: Any) -> str:
        return "json"

    def select_format(self, compiler: Any, sql: str, params: Any) -> tuple[str, Any]:
        return f"{sql}::text", params


class EventQuerySet(models.QuerySet["Event"]):
    """Reads of a stream, and of every stream in the order of the cursor."""

    def in_stream(self, stream: Stream) -> "EventQuerySet":
        """The events of one stream, in order."""
        return self.filter(stream=stream).order_by("version")

    def after(self, version: int) -> "EventQuerySet":
        """Those behind this version."""
        return self.filter(version__gt=version)

    def up_to(self, version: int) -> "EventQuerySet":
        """Those at or before this version."""
        return self.filter(version__lte=version)

    def of_types(self, types: Collection[str]) -> "EventQuerySet":
        """Those of these types."""
        return self.filter(type__in=types)

    def at(self, versions: Collection[int]) -> "EventQuerySet":
        """Those at these versions."""
        return self.filter(version__in=versions)

    def recorded_since(self, moment: datetime) -> "EventQuerySet":
        """Those recorded at or after this moment."""
        return self.filter(recorded_at__gte=moment)

    def of_transactions_before(self, transaction_id: int) -> "EventQuerySet":
        """Those of older transactions, in the order of the cursor."""
        return self.filter(transaction_id__lt=transaction_id).order_by("transaction_id", "position")

    def behind(self, transaction_id: int, position: int) -> "EventQuerySet":
        """Those behind this place in the order of the cursor."""
        # SQL: a comparison of rows, which walks the index where `a > x OR a = x AND b > y` does not.
        place = RawSQL(
            "(memory_event.transaction_id, memory_event.position) > (%s, %s)",
            [transaction_id, position],
            output_field=models.BooleanField(),
        )
        return self.filter(place)

    def saying(self, text: str) -> "EventQuerySet":
        """Those whose payload holds this text; letter case does not matter."""
        escaped = json.dumps(text, ensure_ascii=False)[1:-1]
        return self.annotate(said=Cast("payload_json", models.TextField())).filter(said__icontains=escaped)


class Event(models.Model):
    """One event. `position` and `transaction_id` are PostgreSQL's: together they are the order of the cursor."""

    pk = models.CompositePrimaryKey("tenant_id", "stream_id", "version")
    tenant = models.ForeignKey(Tenant, models.CASCADE, db_constraint=False, db_index=False)
    stream = models.ForeignKey(Stream, models.CASCADE, db_constraint=False, db_index=False)
    version = models.BigIntegerField()
    event_id = models.CharField(max_length=IDENTIFIER_MAX_LENGTH)
    type = models.CharField(max_length=EVENT_TYPE_MAX_LENGTH)
    payload_json = JSONTextField()
    metadata_json = JSONTextField()
    occurred_at = models.DateTimeField()
    recorded_at = models.DateTimeField()
    causation_id = models.CharField(max_length=IDENTIFIER_MAX_LENGTH, blank=True)
    correlation_id = models.CharField(max_length=IDENTIFIER_MAX_LENGTH, blank=True)
    is_error = models.BooleanField(default=False)
    digest = models.BinaryField(max_length=32)
    hash = models.BinaryField(max_length=32)
    position = models.BigIntegerField()
    transaction_id = models.BigIntegerField()
    erased_at = models.DateTimeField(null=True)

    objects = EventQuerySet.as_manager()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["tenant", "event_id"], name="event_id_once")]
        indexes = [
            models.Index(fields=["tenant", "transaction_id", "position"], name="event_cursor"),
            BrinIndex(fields=["recorded_at"], name="event_recorded"),
            # Costs no other event anything, and counts an agent's recoveries without looking at what else was recorded.
            models.Index(
                fields=["tenant", "recorded_at"],
                condition=Q(type=EventType.AGENT_RESTORED.value),
                name="event_restored",
            ),
        ]

    @property
    def is_erased(self) -> bool:
        """Whether the content was blanked."""
        return self.erased_at is not None

    @cached_property
    def payload(self) -> dict[str, Any]:
        """The payload as a value."""
        value: dict[str, Any] = json.loads(self.payload_json)
        return value

    @cached_property
    def metadata(self) -> dict[str, Any]:
        """The metadata as a value."""
        value: dict[str, Any] = json.loads(self.metadata_json)
        return value
