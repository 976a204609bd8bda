"""Two runs of the same task: `GET /runs/{a}/diff/{b}`."""

from collections.abc import Sequence
from typing import Any

from drf_spectacular.utils import OpenApiParameter, OpenApiResponse, extend_schema, inline_serializer
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from memory.api.views import TenantView, whole_number
from memory.flight import comparison
from memory.flight.alignment import Beside, Fate
from memory.flight.comparison import MOST_EVENTS, After, Comparison
from memory.flight.timeline import Row
from memory.models import Stream
from memory.permissions import Permission

LINES = 100
MOST_LINES = 1000

GONE = OpenApiResponse(description="Retention has dropped the beginning of a run; see `first_version`.")
EventShape = inline_serializer(
    "ComparedEvent",
    {
        "version": serializers.IntegerField(),
        "type": serializers.CharField(),
        "name": serializers.CharField(),
        "role": serializers.CharField(),
        "summary": serializers.CharField(),
        "is_error": serializers.BooleanField(),
    },
    allow_null=True,
)
LineShape = {"fate": serializers.ChoiceField([str(fate) for fate in Fate]), "a": EventShape, "b": EventShape}
AfterShape = inline_serializer(
    "AfterParting",
    {name: serializers.IntegerField() for name in ("events", "errors", "model_calls", "tool_calls", "tokens")}
    | {"outcome": serializers.CharField()},
)
DiffShape = inline_serializer(
    "RunDiff",
    {
        "a": serializers.CharField(),
        "b": serializers.CharField(),
        "parting": inline_serializer(
            "Parting",
            {
                "line": serializers.IntegerField(),
                "why": serializers.CharField(),
                "meets_at_line": serializers.IntegerField(allow_null=True, help_text="Where both do the same again."),
                **LineShape,
            },
            allow_null=True,
            help_text="The first divergence; null where there is none.",
        ),
        "after": inline_serializer("AfterPartings", {"a": AfterShape, "b": AfterShape}),
        "lines": serializers.IntegerField(help_text="How many there are."),
        "first_line": serializers.IntegerField(),
        "results": inline_serializer("ComparedLine", LineShape, many=True),
        "is_whole": serializers.BooleanField(help_text=f"Neither has more than {MOST_EVENTS} events."),
    },
)


class RunDiffView(TenantView):
    """Two runs, aligned."""

    permissions = {"GET": Permission.SEE}

    @extend_schema(
        parameters=[
            OpenApiParameter("first_line", int, description="The first line to show, from 0; where they part."),
            OpenApiParameter("limit", int, description=f"How many lines, at most {MOST_LINES}; {LINES} by default."),
        ],
        responses={200: DiffShape, 410: GONE},
        tags=["runs"],
    )
    def get(self, request: Request, a: str, b: str) -> Response:
        """Align two runs, and tell where they part, at what, and what each came to after that."""
        told = comparison.compare(Stream.objects.named(a), Stream.objects.named(b))
        first = whole_number(request, "first_line", told.alignment.parts_at or 0, 0, 2**53)
        limit = whole_number(request, "limit", LINES, 1, MOST_LINES)
        shown = told.alignment.lines[first : first + limit]
        parting = told.parting
        lines = _lines(told, [*shown, *([parting] if parting else [])])
        return Response(
            {
                "a": told.a.name,
                "b": told.b.name,
                "parting": {
                    "line": told.alignment.parts_at,
                    "why": told.why,
                    "meets_at_line": told.alignment.meets_at,
                    **lines[-1],
                }
                if parting
                else None,
                "after": {"a": _after(told.after_a), "b": _after(told.after_b)},
                "lines": len(told.alignment.lines),
                "first_line": first,
                "results": lines[: len(shown)],
                "is_whole": told.is_whole,
            }
        )


def _lines(told: Comparison, lines: Sequence[Beside]) -> list[dict[str, Any]]:
    ones = comparison.rows(told.a, [line.a for line in lines])
    others = comparison.rows(told.b, [line.b for line in lines])
    return [
        {"fate": line.fate, "a": _event(ones.get(line.a or 0)), "b": _event(others.get(line.b or 0))} for line in lines
    ]


def _event(row: Row | None) -> dict[str, Any] | None:
    if row is None:
        return None
    return {
        "version": row.version,
        "type": row.type,
        "name": row.name,
        "role": row.role,
        "summary": row.summary,
        "is_error": row.is_error,
    }


def _after(told: After) -> dict[str, Any]:
    return {
        "events": told.events,
        "errors": told.errors,
        "model_calls": told.model_calls,
        "tool_calls": told.tool_calls,
        "tokens": told.tokens,
        "outcome": told.outcome,
    }
