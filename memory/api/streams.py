"""Streams: `GET /streams` and `GET /streams/{stream}/state`."""

from typing import Any

from drf_spectacular.utils import OpenApiParameter, OpenApiResponse, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from memory.api import binding
from memory.api.fields import ObjectField
from memory.api.pages import CURSOR, LIMIT, RowPages, page_of
from memory.api.views import TenantView, whole_number
from memory.deadline import bounded
from memory.errors import Invalid
from memory.events import state
from memory.events.draft import instant
from memory.models import Stream
from memory.models.stream import SEARCH_SECONDS
from memory.permissions import Permission
from memory.vocabulary import Outcome


class StreamSerializer(serializers.ModelSerializer[Stream]):
    """A stream with its running totals."""

    class Meta:
        model = Stream
        fields = (
            "name",
            "version",
            "title",
            "agent_id",
            "user_id",
            "outcome",
            "created_at",
            "last_event_at",
            "started_at",
            "ended_at",
            "error_count",
            "open_tasks",
            "input_tokens",
            "output_tokens",
            "event_types",
        )


class StreamState(serializers.Serializer[Any]):
    """The state of a stream at one of its versions."""

    stream = serializers.CharField()
    version = serializers.IntegerField()
    state = ObjectField()


class StreamsView(TenantView):
    """All streams."""

    permissions = {"GET": Permission.SEE}
    narrows = True

    @extend_schema(
        parameters=[
            OpenApiParameter("agent_id", str),
            OpenApiParameter("outcome", str, enum=["running", "succeeded", "failed", "unknown"]),
            OpenApiParameter("type", str, description="Streams that hold an event of this type."),
            OpenApiParameter("q", str, description="Streams with this text in their title, names or payloads."),
            LIMIT,
            CURSOR,
        ],
        responses=page_of("StreamPage", StreamSerializer(many=True)),
        tags=["streams"],
    )
    def get(self, request: Request) -> Response:
        """List streams, the most recently active first."""
        pages = RowPages(("-last_event_at", "-id"), lambda text: instant(text, "cursor"))
        asked = request.query_params
        if asked.get("outcome") and asked["outcome"] not in set(Outcome):
            raise Invalid(f"outcome must be one of {', '.join(Outcome)}.")
        found = binding.mine(request, Stream.objects.all())
        found = found.matching(asked.get("agent_id"), asked.get("outcome"), asked.get("type"), asked.get("q"))
        with bounded(SEARCH_SECONDS, "The search"):
            page = pages.paginate_queryset(found, request, view=self)
        return pages.get_paginated_response(StreamSerializer(page, many=True).data)


class StreamStateView(TenantView):
    """The state of a stream."""

    permissions = {"GET": Permission.SEE}

    @extend_schema(
        parameters=[OpenApiParameter("version", int, description="The state after this event; the newest by default.")],
        responses={
            200: StreamState,
            410: OpenApiResponse(description="Retention has dropped the events up to there; see `first_version`."),
        },
        tags=["streams"],
    )
    def get(self, request: Request, stream: str) -> Response:
        """Show the state after event `version`."""
        found = Stream.objects.named(stream)
        version = whole_number(request, "version", found.version, 0, 2**63 - 1)
        return Response({"stream": found.name, "version": version, "state": state.state_at(found, version)})
