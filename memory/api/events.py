"""Events: `POST` and `GET /streams/{stream}/events`, and `GET /events` over all streams."""

from http import HTTPStatus
from typing import Any
from urllib.parse import urlencode

import orjson
from drf_spectacular.utils import OpenApiParameter, OpenApiResponse, extend_schema, inline_serializer
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from memory.api import binding
from memory.api.fields import ObjectField
from memory.api.pages import LIMIT, Place, page_of, page_size, stream_page
from memory.api.views import TenantView, body_object, whole_number
from memory.errors import Invalid
from memory.events import cursor, history, store
from memory.events.draft import Draft, draft
from memory.layers import session
from memory.models import Event, Stream
from memory.permissions import Permission


class EventRequest(serializers.Serializer[Any]):
    """One event to append. An `id` of your own makes a retry safe."""

    id = serializers.CharField(max_length=200, required=False)
    type = serializers.CharField(max_length=100, help_text="Words joined by dots, like `tool.call`.")
    payload = ObjectField(required=False)
    metadata = ObjectField(required=False)
    occurred_at = serializers.DateTimeField(required=False)
    causation_id = serializers.CharField(max_length=200, required=False)
    correlation_id = serializers.CharField(max_length=200, required=False)


class EventSerializer(EventRequest):
    """A recorded event."""

    stream = serializers.CharField()
    version = serializers.IntegerField()
    position = serializers.IntegerField()
    recorded_at = serializers.DateTimeField()
    hash = serializers.CharField()
    erased_at = serializers.DateTimeField(allow_null=True)


AppendRequest = inline_serializer(
    "AppendRequest",
    {
        "events": EventRequest(many=True),
        "expected_version": serializers.IntegerField(required=False, help_text="0 for a stream that must be new."),
    },
)
AppendResponse = inline_serializer(
    "AppendResponse", {"version": serializers.IntegerField(), "events": EventSerializer(many=True)}
)
EventPage = page_of("EventPage", EventSerializer(many=True))
Feed = page_of(
    "Feed",
    EventSerializer(many=True),
    cursor=serializers.CharField(help_text="Where to go on later, also when nothing more is there now."),
)


class StreamEventsView(TenantView):
    """The events of one stream."""

    permissions = {"POST": Permission.RECORD, "GET": Permission.SEE}

    @extend_schema(
        request=AppendRequest,
        responses={
            201: AppendResponse,
            200: OpenApiResponse(AppendResponse, description="All of them were recorded before."),
            409: OpenApiResponse(description="Another version than expected, or an id with other content."),
        },
        tags=["events"],
    )
    def post(self, request: Request, stream: str) -> Response:
        """Append events, all or none."""
        body = body_object(request, {"events", "expected_version"})
        drafts = _drafts(body.get("events"))
        binding.check_said(request, *(each.get("payload") for each in body["events"]))
        session.check_stream(stream, drafts)
        done = store.append(stream, drafts, _expected_version(body))
        binding.check_recorded(request, stream)
        shown = {"version": done.version, "events": [as_json(event, stream) for event in done.events]}
        return Response(shown, HTTPStatus.CREATED if done.new else HTTPStatus.OK)

    def events_in(self, request: Request) -> int:
        events = request.data.get("events") if isinstance(request.data, dict) else None
        return len(events) if isinstance(events, list) else 1

    @extend_schema(
        parameters=[
            OpenApiParameter(
                "from_version", int, description="The version to begin at: 1 by default, the newest going backward."
            ),
            LIMIT,
            OpenApiParameter("direction", str, enum=["forward", "backward"]),
        ],
        responses={
            200: EventPage,
            410: OpenApiResponse(description="Retention has dropped them; `first_version` is the first that is there."),
        },
        tags=["events"],
    )
    def get(self, request: Request, stream: str) -> Response:
        """Read a stream, forward from its first event by default."""
        found = Stream.objects.named(stream)
        direction = request.query_params.get("direction", "forward")
        if direction not in ("forward", "backward"):
            raise Invalid("direction must be forward or backward.")
        forward = direction == "forward"
        first = whole_number(request, "from_version", 1 if forward else found.version, 0, 2**63 - 1)
        page = stream_page(first, page_size(request), found.version, forward)
        first, limit = page.here
        events = history.read(found, first, first + limit - 1) if forward else history.read_back(found, first, limit)

        def link(place: Place | None) -> str | None:
            return place and _link(request, direction=direction, **place._asdict())

        results = [as_json(event, stream) for event in events]
        return Response({"next": link(page.next), "previous": link(page.previous), "results": results})


class EventsView(TenantView):
    """Every stream's events in one order."""

    permissions = {"GET": Permission.SEE}

    @extend_schema(
        parameters=[
            OpenApiParameter(
                "after", str, description="A cursor from an earlier answer; from the beginning without it."
            ),
            LIMIT,
        ],
        responses=Feed,
        tags=["events"],
    )
    def get(self, request: Request) -> Response:
        """Follow all streams: nothing is skipped and nothing comes twice."""
        limit = page_size(request)
        place = cursor.Cursor.parse(request.query_params.get("after", ""))
        events = cursor.read_all(place, limit + 1)
        more, events = len(events) > limit, events[:limit]
        if events:
            place = cursor.Cursor.behind(events[-1])
        return Response(
            {
                "next": _link(request, after=str(place), limit=limit) if more else None,
                "previous": None,
                "cursor": str(place),
                "results": [as_json(event, event.stream.name) for event in events],
            }
        )


def as_json(event: Event, stream_name: str) -> dict[str, Any]:
    """An event as the API shows it; payload and metadata are the very texts that are stored."""
    return {
        "id": event.event_id,
        "stream": stream_name,
        "type": event.type,
        "version": event.version,
        "position": event.position,
        "payload": orjson.Fragment(event.payload_json),
        "metadata": orjson.Fragment(event.metadata_json),
        "occurred_at": event.occurred_at,
        "recorded_at": event.recorded_at,
        "causation_id": event.causation_id or None,
        "correlation_id": event.correlation_id or None,
        "hash": bytes(event.hash).hex(),
        "erased_at": event.erased_at,
    }


def _link(request: Request, **query: Any) -> str:
    """The address of another page of what is asked for."""
    return request.build_absolute_uri(f"{request.path}?{urlencode(query)}")


def _drafts(events: Any) -> list[Draft]:
    if not isinstance(events, list):
        raise Invalid("events must be a list of events.")
    store.check_size(events)
    limits = store.limits()
    return [draft(raw, limits, f"events[{index}]") for index, raw in enumerate(events)]


def _expected_version(body: dict[str, Any]) -> int | None:
    version = body.get("expected_version")
    if version is None:
        return None
    if not isinstance(version, int) or isinstance(version, bool) or not 0 <= version < 2**63:
        raise Invalid("expected_version must be a whole number: 0 for a new stream.")
    return version
