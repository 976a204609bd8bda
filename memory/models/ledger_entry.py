"""The token ledger: what each event says of tokens, kept beside it so that totals need not read any event again."""

from django.db import models

from memory.models.stream import Stream
from memory.models.tenant import Tenant
from memory.vocabulary import IDENTIFIER_MAX_LENGTH


class LedgerEntry(models.Model):
    """The tokens of one event. Made from it alone and from those before it in its stream: it can be made again.

    Every kind has `raw_tokens` (what there was to send), `sent_tokens` and `saved_tokens`, their difference, which is
    negative where more was sent. A call also has what the model read and answered: input includes cached tokens, output
    includes reasoning; `is_reported` says that a provider told them, else they were counted here. `counted_tokens` is
    our count of a request's input, null where its messages are not known; of a call, that of its request. `cost` and
    `saved_cost` are in US dollars at the time of the event, null where the model's price is not known.
    """

    tenant = models.ForeignKey(Tenant, models.CASCADE, db_index=False)
    stream = models.ForeignKey(Stream, models.CASCADE, db_constraint=False, db_index=False)
    version = models.BigIntegerField()
    kind = models.CharField(max_length=20)
    method = models.CharField(max_length=20, blank=True)
    model = models.CharField(max_length=200, blank=True)
    occurred_at = models.DateTimeField()
    raw_tokens = models.BigIntegerField(default=0)
    sent_tokens = models.BigIntegerField(default=0)
    saved_tokens = models.BigIntegerField(default=0)
    input_tokens = models.BigIntegerField(default=0)
    cached_tokens = models.BigIntegerField(default=0)
    output_tokens = models.BigIntegerField(default=0)
    reasoning_tokens = models.BigIntegerField(default=0)
    is_reported = models.BooleanField(default=False)
    counted_tokens = models.BigIntegerField(null=True)
    cost = models.DecimalField(max_digits=24, decimal_places=12, null=True)
    saved_cost = models.DecimalField(max_digits=24, decimal_places=12, null=True)
    # What a response names its request by.
    request_key = models.CharField(max_length=IDENTIFIER_MAX_LENGTH, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["tenant", "stream", "version"], name="ledger_entry_once"),
            models.CheckConstraint(
                condition=models.Q(saved_tokens=models.F("raw_tokens") - models.F("sent_tokens")),
                name="ledger_entry_adds_up",
            ),
        ]
        indexes = [
            models.Index(fields=["tenant", "kind", "occurred_at"], name="ledger_entry_in_time"),
            models.Index(
                fields=["tenant", "stream", "request_key"],
                condition=~models.Q(request_key=""),
                name="ledger_entry_of_request",
            ),
        ]
