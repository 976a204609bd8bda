"""Whether a stream is as it was recorded: `GET` and `POST /streams/{stream}/verification`."""

from http import HTTPStatus
from typing import Any

from drf_spectacular.utils import OpenApiResponse, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from memory import conf, jobs
from memory.api.views import TenantView
from memory.events import verification
from memory.events.walk import MOST_FINDINGS, Fault
from memory.models import Finding, Stream, Verification
from memory.permissions import Permission


class FindingSerializer(serializers.ModelSerializer[Finding]):
    """A fault at a version of the stream."""

    fault = serializers.ChoiceField([str(fault) for fault in Fault])

    class Meta:
        model = Finding
        fields = ("version", "fault", "detail", "found_at")


class VerificationSerializer(serializers.Serializer[Any]):
    """What the last verification of a stream found."""

    stream = serializers.CharField()
    verified_at = serializers.DateTimeField(allow_null=True, help_text="Null where the stream was never verified.")
    version = serializers.IntegerField(help_text="The last event that was verified.")
    faults = serializers.IntegerField()
    clean_version = serializers.IntegerField(help_text="The last event up to which the stream was found in order.")
    clean_hash = serializers.CharField(allow_null=True, help_text="The hash of that event.")
    findings = serializers.ListField(
        child=FindingSerializer(), help_text=f"By version, the first {MOST_FINDINGS} faults."
    )


class VerificationView(TenantView):
    """The verification of one stream."""

    permissions = {"GET": Permission.SEE, "POST": Permission.VERIFY}

    @extend_schema(responses=VerificationSerializer, tags=["streams"])
    def get(self, request: Request, stream: str) -> Response:
        """Show what the last verification found."""
        found = Stream.objects.named(stream)
        return Response(_as_json(found, Verification.objects.of(found)))

    @extend_schema(
        request=None,
        responses={
            200: VerificationSerializer,
            202: OpenApiResponse(VerificationSerializer, description="The stream is long: the worker verifies it."),
        },
        tags=["streams"],
    )
    def post(self, request: Request, stream: str) -> Response:
        """Verify the stream now."""
        found = Stream.objects.named(stream)
        if found.version > conf.value("ARES_VERIFY_AT_ONCE"):
            jobs.enqueue(jobs.verify_stream, found.tenant_id, found.pk)
            return Response(_as_json(found, Verification.objects.of(found)), HTTPStatus.ACCEPTED)
        return Response(_as_json(found, verification.verify(found)))


def _as_json(stream: Stream, result: Verification | None) -> dict[str, Any]:
    return {
        "stream": stream.name,
        "verified_at": result and result.verified_at,
        "version": result.version if result else 0,
        "faults": result.faults if result else 0,
        "clean_version": result.clean_version if result else 0,
        "clean_hash": (result and bytes(result.clean_hash).hex()) or None,
        "findings": FindingSerializer(Finding.objects.in_stream(stream), many=True).data,
    }
