"""A step of a run: `GET /runs/{stream}/steps/{version}/changes`, `…/context` and `…/fork`."""

from typing import Any

from drf_spectacular.utils import OpenApiParameter, OpenApiResponse, extend_schema, inline_serializer
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from memory.api import binding
from memory.api.exports import FixtureShape
from memory.api.fields import AnyJSONField, ObjectField
from memory.api.rendering import exact
from memory.api.views import TenantView, whole_number
from memory.events.state import state_at
from memory.flight import diff
from memory.flight.fork import as_json, fork
from memory.flight.left import Context, Message, context_at
from memory.models import Stream
from memory.permissions import Permission

GONE = OpenApiResponse(description="Retention has dropped the events up to there; see `first_version`.")
ChangesShape = inline_serializer(
    "StateChanges",
    {
        "before": inline_serializer(
            "StateBefore", {"stream": serializers.CharField(), "version": serializers.IntegerField()}
        ),
        "after": inline_serializer(
            "StateAfter", {"stream": serializers.CharField(), "version": serializers.IntegerField()}
        ),
        "changes": inline_serializer(
            "ChangedField",
            {
                "field": serializers.CharField(),
                "pairs": inline_serializer(
                    "ChangedPair",
                    {"key": serializers.CharField(), "before": AnyJSONField(), "after": AnyJSONField()},
                    many=True,
                ),
            },
            many=True,
            help_text="The fields of the state that differ, and in them what does; null where one state lacks it.",
        ),
    },
)
MessageShape = inline_serializer(
    "SeenMessage",
    {
        "version": serializers.IntegerField(),
        "role": serializers.CharField(),
        "summary": serializers.CharField(),
        "last_in": serializers.IntegerField(allow_null=True, help_text="The newest prompt that held it."),
        "left_at": serializers.IntegerField(allow_null=True, help_text="The first prompt behind that without it."),
        "experiences": serializers.ListField(child=serializers.CharField(), help_text="What was distilled from it."),
    },
    many=True,
)
ContextShape = inline_serializer(
    "ContextAtStep",
    {
        "stream": serializers.CharField(),
        "version": serializers.IntegerField(),
        "prompt": serializers.IntegerField(
            allow_null=True, help_text="The newest prompt or context up to the step; null where none is recorded."
        ),
        "held": MessageShape,
        "left": MessageShape,
        "never": MessageShape,
        "experiences_left": inline_serializer(
            "SeenExperience",
            {
                "id": serializers.CharField(),
                "text": serializers.CharField(),
                "last_in": serializers.IntegerField(),
                "left_at": serializers.IntegerField(),
            },
            many=True,
        ),
        "left_out": serializers.ListField(child=ObjectField(), help_text="What the context itself told it left out."),
        "is_whole": serializers.BooleanField(help_text="No earlier message or prompt was passed over."),
    },
)
ForkShape = inline_serializer(
    "Fork",
    {
        "request": ObjectField(help_text="A body for a chat completion that goes on from this step."),
        "stream": serializers.CharField(help_text="A name for the stream of what comes of it."),
        "events": serializers.ListField(child=ObjectField(), help_text="What to begin that stream with: its lineage."),
        "fixture": FixtureShape,
    },
)


class StepChangesView(TenantView):
    """What an event did to the state of its run."""

    permissions = {"GET": Permission.SEE}

    @extend_schema(
        parameters=[
            OpenApiParameter("against", int, description="The version to compare with; the step before by default."),
            OpenApiParameter("against_stream", str, description="The run which that version is of; this one."),
        ],
        responses={200: ChangesShape, 410: GONE},
        tags=["runs"],
    )
    def get(self, request: Request, stream: str, version: int) -> Response:
        """Compare the state after event `version` with the one before it, or with any other."""
        found = Stream.objects.named(stream)
        other_name = request.query_params.get("against_stream") or stream
        binding.check_stream(request, other_name)
        other = found if other_name == stream else Stream.objects.named(other_name)
        default = max(version - 1, 0) if other is found else min(version, other.version)
        against = whole_number(request, "against", default, 0, 2**63 - 1)
        sections = diff.diff(state_at(other, against), state_at(found, version), is_same_run=other is found)
        told = [
            {
                "field": part.name,
                "pairs": [{"key": each.key, "before": each.before, "after": each.after} for each in part.pairs],
            }
            for part in diff.changes(sections)
        ]
        return Response(
            {
                "before": {"stream": other.name, "version": against},
                "after": {"stream": found.name, "version": version},
                "changes": exact(told),
            }
        )


class StepContextView(TenantView):
    """What the model saw at a step, and what it no longer saw."""

    permissions = {"GET": Permission.SEE}

    @extend_schema(responses={200: ContextShape}, tags=["runs"])
    def get(self, request: Request, stream: str, version: int) -> Response:
        """Tell which messages and experiences the newest prompt up to event `version` held, which had left by then,
        since when, and what was distilled from them."""
        found = Stream.objects.named(stream)
        return Response({"stream": found.name, **_context(context_at(found, version))})


class StepForkView(TenantView):
    """A step to run on from."""

    permissions = {"GET": Permission.SEE}

    @extend_schema(responses={200: ForkShape, 410: GONE}, tags=["runs"])
    def get(self, request: Request, stream: str, version: int) -> Response:
        """Give the next request to a model after event `version`, the tool results recorded after it, and the event
        that keeps the lineage when what comes of it is recorded."""
        return Response(exact(as_json(fork(Stream.objects.named(stream), version))))


def _context(told: Context) -> dict[str, Any]:
    return {
        "version": told.version,
        "prompt": told.prompt,
        "held": [_message(each) for each in told.held],
        "left": [_message(each) for each in told.left],
        "never": [_message(each) for each in told.never],
        "experiences_left": [
            {"id": each.id, "text": each.text, "last_in": each.last_in, "left_at": each.left_at}
            for each in told.experiences_left
        ],
        "left_out": exact(told.left_out),
        "is_whole": told.is_whole,
    }


def _message(told: Message) -> dict[str, Any]:
    return {
        "version": told.version,
        "role": told.role,
        "summary": told.summary,
        "last_in": told.presence.last_in,
        "left_at": told.presence.left_at,
        "experiences": list(told.experiences),
    }
