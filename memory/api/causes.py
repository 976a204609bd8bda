"""Why an event came about, and what came of it: `GET /events/{id}/causes` and `GET /events/{id}/effects`."""

from typing import Any

from drf_spectacular.utils import OpenApiResponse, extend_schema, inline_serializer
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from memory.api.hints import HintSerializer
from memory.api.views import TenantView
from memory.events import history
from memory.flight import analysis, causes, timeline
from memory.flight.walks import MOST_EVENTS, MOST_HOPS, Hop, Reached
from memory.models import Event, Stream
from memory.permissions import Permission
from memory.vocabulary import LinkKind, LinkReason

HopShape = inline_serializer(
    "CausalHop",
    {
        "cause": serializers.IntegerField(help_text="The version of the earlier event."),
        "effect": serializers.IntegerField(help_text="The version of the later one."),
        "kind": serializers.ChoiceField([str(kind) for kind in LinkKind]),
        "how": serializers.ChoiceField([str(how) for how in LinkReason], help_text="How the link was found."),
        "certainty": serializers.FloatField(help_text="Of this link, from 0 to 1."),
        "way_certainty": serializers.FloatField(help_text="Of the weakest link on the way through this one."),
        "distance": serializers.IntegerField(help_text="Hops from the event that was asked about."),
        "sentence": serializers.CharField(),
    },
    many=True,
)
StepShape = inline_serializer(
    "CausalStep",
    {
        "version": serializers.IntegerField(),
        "type": serializers.CharField(),
        "kind": serializers.CharField(),
        "name": serializers.CharField(),
        "role": serializers.CharField(),
        "summary": serializers.CharField(),
        "is_error": serializers.BooleanField(),
        "is_erased": serializers.BooleanField(),
        "is_dropped": serializers.BooleanField(),
    },
    many=True,
)


def _walked() -> dict[str, Any]:
    return {
        "stream": serializers.CharField(),
        "version": serializers.IntegerField(help_text="The event that was asked about."),
        "analysed_to": serializers.IntegerField(help_text="The run's causes are found up to this event."),
        "is_whole": serializers.BooleanField(
            help_text=f"False where the walk ended at {MOST_HOPS} hops or {MOST_EVENTS} events, or the run is not yet "
            "analysed so far."
        ),
        "hops": HopShape,
    }


Causes = inline_serializer(
    "Causes",
    {
        **_walked(),
        "suspect": serializers.IntegerField(
            help_text="The first suspicious step: the earliest one with a hint, else where the way back ends."
        ),
        "hints": HintSerializer(many=True, help_text="Those of the suspect."),
        "path": HopShape,
        "steps": StepShape,
    },
)
Effects = inline_serializer("Effects", _walked())
GONE = OpenApiResponse(description="Retention has dropped the event.")


class CausesView(TenantView):
    """The causes of an event."""

    permissions = {"GET": Permission.SEE}

    @extend_schema(responses={200: Causes, 410: GONE}, tags=["causes"])
    def get(self, request: Request, event_id: str) -> Response:
        """Walk back from an event to the first suspicious step; `steps` are the events on the `path`, in its order."""
        event, stream, progress = _located(event_id)
        story = causes.back(stream, event.version)
        versions = [event.version, *(hop.link.cause for hop in story.path)]
        return Response(
            {
                **_as_json(event, stream, progress, story.reached),
                "suspect": story.suspect,
                "hints": HintSerializer(story.hints, many=True, context={"request": request, "stream": stream}).data,
                "path": [_hop(hop) for hop in story.path],
                "steps": [_step(row) for version in versions for row in timeline.window(stream, version, version)],
            }
        )


class EffectsView(TenantView):
    """The effects of an event."""

    permissions = {"GET": Permission.SEE}

    @extend_schema(responses={200: Effects, 410: GONE}, tags=["causes"])
    def get(self, request: Request, event_id: str) -> Response:
        """Walk forward from an event to all that it led to."""
        event, stream, progress = _located(event_id)
        return Response(_as_json(event, stream, progress, causes.forward(stream, event.version)))


def _located(event_id: str) -> tuple[Event, Stream, analysis.Progress]:
    event = history.named(event_id)
    stream = Stream.objects.get(pk=event.stream_id)
    return event, stream, analysis.catch_up(stream)


def _as_json(event: Event, stream: Stream, progress: analysis.Progress, reached: Reached) -> dict[str, Any]:
    return {
        "stream": stream.name,
        "version": event.version,
        "analysed_to": progress.analysed_to,
        "is_whole": reached.is_whole and progress.analysed_to >= event.version,
        "hops": [_hop(hop) for hop in reached.hops],
    }


def _hop(hop: Hop) -> dict[str, Any]:
    return {
        "cause": hop.link.cause,
        "effect": hop.link.effect,
        "kind": hop.link.kind,
        "how": hop.link.how,
        "certainty": hop.link.certainty,
        "way_certainty": hop.certainty,
        "distance": hop.distance,
        "sentence": hop.sentence,
    }


def _step(row: timeline.Row) -> dict[str, Any]:
    shown = ("version", "type", "kind", "name", "role", "summary", "is_error", "is_erased", "is_dropped")
    return {name: getattr(row, name) for name in shown}
