"""Suspects: `GET /runs/{stream}/suspects`."""

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from memory import limits
from memory.api.views import TenantView
from memory.flight import first_bad_step
from memory.models import Stream
from memory.permissions import Permission
from memory.vocabulary import HintRule


class SuspectSerializer(serializers.Serializer[Any]):
    """A step that may have decided the run."""

    version = serializers.IntegerField()
    speaker = serializers.CharField(help_text="Who said or did it.")
    score = serializers.FloatField(help_text="Its share of the run's suspicion, above 0 and at most 1.")
    reason = serializers.CharField()
    hints = serializers.ListField(
        child=serializers.ChoiceField([str(rule) for rule in HintRule]),
        help_text="The rules that found something there.",
    )


class SuspectsSerializer(serializers.Serializer[Any]):
    """The suspects of a run."""

    suspects = SuspectSerializer(many=True)
    read_to = serializers.IntegerField(help_text="The run was read up to this event.")
    version = serializers.IntegerField(help_text="The run's newest event.")


class SuspectsView(TenantView):
    """The suspects of a run."""

    permissions = {"GET": Permission.SEE}

    @extend_schema(responses=SuspectsSerializer, tags=["causes"])
    def get(self, request: Request, stream: str) -> Response:
        """List at most three steps that most likely decided how the run went, the likeliest first."""
        found = Stream.objects.named(stream)
        judged = first_bad_step.judge(found, limits.names("ARES_HINTS_OFF"))
        told = {"suspects": judged.suspects, "read_to": judged.read_to, "version": found.version}
        return Response(SuspectsSerializer(told).data)
