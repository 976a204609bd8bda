"""A run to take away: `GET /streams/{stream}/export` and `GET /streams/{stream}/fixture`."""

from django.http import HttpResponseBase, StreamingHttpResponse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, OpenApiResponse, extend_schema, inline_serializer
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from memory.api.fields import AnyJSONField, ObjectField
from memory.api.rendering import JSONRenderer, exact
from memory.api.views import TenantView, whole_number
from memory.events import export
from memory.flight.fixture import as_json, fixture
from memory.models import Stream
from memory.permissions import Permission


class JSONLinesRenderer(JSONRenderer):
    """Lets a client ask for JSON Lines by `Accept`; the view writes the lines itself."""

    media_type = "application/x-ndjson"
    format = "ndjson"


GONE = OpenApiResponse(description="Retention has dropped the beginning; `first_version` is the first that is there.")
FixtureShape = inline_serializer(
    "Fixture",
    {
        "stream": serializers.CharField(),
        "version": serializers.IntegerField(),
        "hash": serializers.CharField(help_text="Of the event at this version; empty for version 0."),
        "state": ObjectField(),
        "messages": serializers.ListField(child=ObjectField(), help_text="The conversation so far, as chat messages."),
        "remaining": inline_serializer(
            "RecordedResult",
            {
                "version": serializers.IntegerField(),
                "tool_call_id": serializers.CharField(),
                "name": serializers.CharField(),
                "arguments": AnyJSONField(help_text="Of the call that it answers; null if that is not recorded."),
                "content": AnyJSONField(),
                "error": AnyJSONField(),
                "duration_ms": AnyJSONField(),
            },
            many=True,
            help_text="What tools answered after this version, in order.",
        ),
        "is_whole": serializers.BooleanField(help_text="No earlier message and no later result is left out."),
    },
)


class ExportView(TenantView):
    """A stream as JSON Lines."""

    permissions = {"GET": Permission.SEE}

    renderer_classes = (JSONRenderer, JSONLinesRenderer)

    @extend_schema(responses={(200, "application/x-ndjson"): OpenApiTypes.STR, 410: GONE}, tags=["streams"])
    def get(self, request: Request, stream: str) -> HttpResponseBase:
        """Export a stream: a header, then an event a line with its hash. `import_runs` records it elsewhere, and it
        still verifies there."""
        found = Stream.objects.named(stream)
        answer = StreamingHttpResponse(export.lines(found), content_type=JSONLinesRenderer.media_type)
        answer["Content-Disposition"] = f'attachment; filename="{export.file_name(found)}"'
        return answer


class FixtureView(TenantView):
    """A step of a run, to start a test from."""

    permissions = {"GET": Permission.SEE}

    @extend_schema(
        parameters=[OpenApiParameter("version", int, description="The step; the newest event by default.")],
        responses={200: FixtureShape, 410: GONE},
        tags=["streams"],
    )
    def get(self, request: Request, stream: str) -> Response:
        """Give the state and conversation after event `version`, and the tool results recorded after it, in order."""
        found = Stream.objects.named(stream)
        made = fixture(found, whole_number(request, "version", found.version, 0, 2**63 - 1))
        return Response(exact(as_json(made)))
