"""Tokens: `GET /usage/savings` and the entries that its sums are made of, `GET /usage/entries`."""

from decimal import Decimal
from typing import Any
from urllib.parse import urlencode

from drf_spectacular.utils import OpenApiParameter, extend_schema, inline_serializer
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from memory.api.pages import CURSOR, LIMIT, RowPages, page_of
from memory.api.views import TenantView
from memory.errors import Invalid
from memory.models import LedgerEntry
from memory.permissions import Permission
from memory.tokens import savings
from memory.tokens.savings import By, Filters, Sums
from memory.vocabulary import ContextMethod, LedgerKind

FILTERS = [
    OpenApiParameter("day", str, description="One day, in UTC."),
    OpenApiParameter("since", str, description="The first day."),
    OpenApiParameter("until", str, description="The last day."),
    OpenApiParameter("agent", str, description="One agent; empty for what names none."),
    OpenApiParameter("method", str, enum=list(ContextMethod), description="How contexts came to be."),
    OpenApiParameter("model", str, description="One model; empty for what names none."),
    OpenApiParameter("run", str, description="One stream."),
    OpenApiParameter("source", str, enum=[savings.REPORTED, savings.COUNTED], description="Who counted."),
]
MONEY = "US dollars at the time of the event, as a text; null where no price is known."


def _sums() -> dict[str, Any]:
    whole = {
        name: serializers.IntegerField() for name in Sums.__dataclass_fields__ if name not in ("cost", "saved_cost")
    }
    return {
        **whole,
        "saved_cost": serializers.CharField(allow_null=True, help_text=MONEY),
        "cost": serializers.CharField(allow_null=True, help_text=MONEY),
        "saved_share": serializers.FloatField(allow_null=True, help_text="saved / raw"),
        "deviation": serializers.FloatField(
            allow_null=True, help_text="Our count against the providers' (compared calls)."
        ),
        "entries": serializers.URLField(help_text="The entries that this is the sum of."),
    }


Savings = inline_serializer(
    "Savings",
    {
        "by": serializers.ChoiceField(list(By)),
        "totals": inline_serializer("SavingsTotals", _sums()),
        "results": inline_serializer("SavingsRow", {"key": serializers.CharField(), **_sums()}, many=True),
    },
)


class LedgerEntrySerializer(serializers.ModelSerializer[LedgerEntry]):
    """The tokens of one event."""

    stream = serializers.CharField(source="stream.name")
    agent_id = serializers.CharField(source="stream.agent_id")
    event = serializers.SerializerMethodField(help_text="The address of the event.")

    class Meta:
        model = LedgerEntry
        fields = (
            "stream",
            "version",
            "event",
            "kind",
            "method",
            "model",
            "agent_id",
            "occurred_at",
            "raw_tokens",
            "sent_tokens",
            "saved_tokens",
            "input_tokens",
            "cached_tokens",
            "output_tokens",
            "reasoning_tokens",
            "is_reported",
            "counted_tokens",
            "cost",
            "saved_cost",
        )

    def get_event(self, item: LedgerEntry) -> str:
        request: Request = self.context["request"]
        place = urlencode({"from_version": item.version, "limit": 1})
        return request.build_absolute_uri(f"/api/v1/streams/{item.stream.name}/events?{place}")


class SavingsView(TenantView):
    """Sums over the token ledger."""

    permissions = {"GET": Permission.SEE}

    @extend_schema(
        parameters=[OpenApiParameter("by", str, enum=list(By), description="day without it"), *FILTERS],
        responses=Savings,
        tags=["usage"],
    )
    def get(self, request: Request) -> Response:
        """What contexts saved and what model calls took, by day, agent, method or model."""
        by = request.query_params.get("by", By.DAY)
        if by not in set(By):
            raise Invalid(f"by must be one of {', '.join(By)}.")
        filters = savings.parse(request.query_params.dict())
        found = savings.rows(By(by), filters)
        return Response(
            {
                "by": by,
                "totals": _as_json(request, savings.totals(filters), filters),
                "results": [
                    {"key": str(row.key), **_as_json(request, row.sums, filters.narrowed(By(by), row.key))}
                    for row in found
                ],
            }
        )


class EntriesView(TenantView):
    """The entries of the token ledger."""

    permissions = {"GET": Permission.SEE}

    @extend_schema(
        parameters=[
            *FILTERS,
            OpenApiParameter("kind", str, enum=[LedgerKind.CONTEXT, LedgerKind.RECALL, LedgerKind.CALL]),
            LIMIT,
            CURSOR,
        ],
        responses=page_of("LedgerPage", LedgerEntrySerializer(many=True)),
        tags=["usage"],
    )
    def get(self, request: Request) -> Response:
        """List the entries that a sum is made of, the newest first; each names its event."""
        pages = RowPages(("-id",), int)
        found = savings.entries(savings.parse(request.query_params.dict())).select_related("stream")
        page = pages.paginate_queryset(found, request, view=self)
        shown = LedgerEntrySerializer(page, many=True, context={"request": request})
        return pages.get_paginated_response(shown.data)


def _as_json(request: Request, sums: Sums, filters: Filters) -> dict[str, Any]:
    told = {name: getattr(sums, name) for name in Sums.__dataclass_fields__}
    address = request.build_absolute_uri(f"/api/v1/usage/entries?{urlencode(filters.query)}")
    return {
        **told,
        "saved_cost": _money(sums.saved_cost),
        "cost": _money(sums.cost),
        "saved_share": sums.saved_share,
        "deviation": sums.deviation,
        "entries": address,
    }


def _money(amount: Decimal | None) -> str | None:
    return None if amount is None else f"{amount:f}"
