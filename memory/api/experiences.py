"""Experiences: what was learned. Listed, shown, corrected, judged, merged, split and deleted."""

from http import HTTPStatus
from typing import Any

from drf_spectacular.utils import OpenApiParameter, extend_schema, inline_serializer
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from memory.api import binding
from memory.api.fields import ObjectField
from memory.api.front_door import actor_of
from memory.api.pages import CURSOR, LIMIT, RowPages, page_of
from memory.api.views import TenantView, body_object
from memory.errors import Invalid
from memory.events.draft import instant
from memory.layers import distilled, reshaping
from memory.models import Experience, Revision, Source
from memory.permissions import Permission
from memory.vocabulary import ExperienceStatus, Kind, Method

# By query parameter: what it may be.
CHOICES = {"kind": frozenset(Kind), "method": frozenset(Method), "status": frozenset(ExperienceStatus)}


class ExperienceSerializer(serializers.ModelSerializer[Experience]):
    """An experience as the API shows it."""

    text = serializers.CharField(help_text="Problem and solution: what is embedded and searched.")
    superseded_by_id = serializers.CharField(allow_null=True)
    abstraction_id = serializers.CharField(allow_null=True)

    class Meta:
        model = Experience
        fields = (
            "id",
            "kind",
            "method",
            "problem",
            "solution",
            "text",
            "language",
            "entities",
            "subject",
            "value",
            "user_id",
            "agent_id",
            "confidence",
            "importance",
            "status",
            "pinned",
            "helpful",
            "harmful",
            "uses",
            "last_used_at",
            "valid_from",
            "valid_to",
            "superseded_by_id",
            "abstraction_id",
            "tokens",
            "revision",
            "embedding_status",
            "created_at",
            "updated_at",
        )


class SourceSerializer(serializers.ModelSerializer[Source]):
    """One message that an experience rests on."""

    class Meta:
        model = Source
        fields = ("stream_name", "event_version", "message_id", "distillation_id")


class RevisionSerializer(serializers.ModelSerializer[Revision]):
    """One change of an experience."""

    before = ObjectField(allow_null=True)
    after = ObjectField()

    class Meta:
        model = Revision
        fields = ("number", "change", "actor", "reason", "before", "after", "created_at")


class ExperienceWithSources(ExperienceSerializer):
    """An experience with the messages it rests on."""

    sources = SourceSerializer(many=True)

    class Meta(ExperienceSerializer.Meta):
        fields = (*ExperienceSerializer.Meta.fields, "sources")  # type: ignore[assignment]


class ExperienceChange(serializers.Serializer[Any]):
    """What can be changed of an experience."""

    problem = serializers.CharField(required=False)
    solution = serializers.CharField(required=False)
    kind = serializers.ChoiceField([str(kind) for kind in Kind], required=False)
    confidence = serializers.FloatField(required=False, min_value=0, max_value=1)
    subject = serializers.CharField(required=False)
    value = serializers.CharField(required=False)
    pinned = serializers.BooleanField(required=False)
    status = serializers.ChoiceField(["active", "archived"], required=False)


class FeedbackRequest(serializers.Serializer[Any]):
    """Whether an experience helped."""

    verdict = serializers.ChoiceField(["helpful", "harmful"])
    note = serializers.CharField(required=False, max_length=500)


class MergeRequest(serializers.Serializer[Any]):
    """Which other experience is to become part of this one."""

    other_id = serializers.CharField()


class Part(serializers.Serializer[Any]):
    """One of the experiences that another one is split into."""

    problem = serializers.CharField(required=False)
    solution = serializers.CharField()


class SplitRequest(serializers.Serializer[Any]):
    """What an experience is split into."""

    parts = Part(many=True)


Receipt = inline_serializer(
    "ExperienceReceipt",
    {
        "id": serializers.CharField(),
        "deleted_at": serializers.DateTimeField(),
        "rows": serializers.DictField(child=serializers.IntegerField(), help_text="How many rows went, by table."),
    },
)


class ExperiencesView(TenantView):
    """All experiences."""

    permissions = {"GET": Permission.SEE}
    narrows = True

    @extend_schema(
        operation_id="experiences_list",
        parameters=[
            *[OpenApiParameter(name, str, enum=sorted(map(str, allowed))) for name, allowed in CHOICES.items()],
            OpenApiParameter("user_id", str),
            OpenApiParameter("min_confidence", float),
            OpenApiParameter("q", str, description="Experiences with this text in problem or solution."),
            LIMIT,
            CURSOR,
        ],
        responses=page_of("ExperiencePage", ExperienceSerializer(many=True)),
        tags=["experiences"],
    )
    def get(self, request: Request) -> Response:
        """List experiences, the most recently changed first. Drafts are left out unless their status is asked for."""
        asked = request.query_params
        for name, allowed in CHOICES.items():
            if asked.get(name) and asked[name] not in allowed:
                raise Invalid(f"{name} must be one of {', '.join(sorted(map(str, allowed)))}.")
        found = binding.known(request, Experience.objects.all()).matching(
            kind=asked.get("kind"),
            method=asked.get("method"),
            status=asked.get("status"),
            user_id=asked.get("user_id"),
            min_confidence=_fraction(asked.get("min_confidence")),
            text=asked.get("q"),
        )
        pages = RowPages(("-updated_at", "-id"), lambda text: instant(text, "cursor"))
        page = pages.paginate_queryset(found, request, view=self)
        return pages.get_paginated_response(ExperienceSerializer(page, many=True).data)


class ExperienceView(TenantView):
    """One experience."""

    permissions = {"GET": Permission.SEE, "PATCH": Permission.EDIT, "DELETE": Permission.EDIT}

    @extend_schema(responses=ExperienceWithSources, tags=["experiences"])
    def get(self, request: Request, experience_id: str) -> Response:
        """Show an experience and what it rests on."""
        return Response(_shown(Experience.objects.with_id(experience_id)))

    @extend_schema(request=ExperienceChange, responses=ExperienceWithSources, tags=["experiences"])
    def patch(self, request: Request, experience_id: str) -> Response:
        """Change an experience; what it was is kept as a revision."""
        changes = body_object(request, set(distilled.EDITABLE))
        return Response(_shown(distilled.edit(experience_id, changes, actor_of(request))))

    @extend_schema(responses={200: Receipt}, tags=["experiences"])
    def delete(self, request: Request, experience_id: str) -> Response:
        """Delete an experience with all that belongs to it. The answer is a receipt that counts what went."""
        return Response(distilled.delete(experience_id, actor_of(request)))


class RevisionsView(TenantView):
    """The history of one experience."""

    permissions = {"GET": Permission.SEE}

    @extend_schema(
        parameters=[LIMIT, CURSOR],
        responses=page_of("RevisionPage", RevisionSerializer(many=True)),
        tags=["experiences"],
    )
    def get(self, request: Request, experience_id: str) -> Response:
        """List the changes of an experience, the newest first."""
        pages = RowPages(("-number",), int)
        found = Revision.objects.filter(experience=Experience.objects.with_id(experience_id))
        page = pages.paginate_queryset(found, request, view=self)
        return pages.get_paginated_response(RevisionSerializer(page, many=True).data)


class FeedbackView(TenantView):
    """What was thought of one experience."""

    permissions = {"POST": Permission.RECORD}

    @extend_schema(request=FeedbackRequest, responses={201: ExperienceWithSources}, tags=["experiences"])
    def post(self, request: Request, experience_id: str) -> Response:
        """Say whether an experience helped; its confidence and its rank move."""
        body = body_object(request, {"verdict", "note"})
        judged = distilled.feedback(experience_id, body.get("verdict"), actor_of(request), body.get("note"))
        return Response(_shown(judged), HTTPStatus.CREATED)


class ReversionsView(TenantView):
    """Changes of one experience that were taken back."""

    permissions = {"POST": Permission.EDIT}

    @extend_schema(request=None, responses={201: ExperienceWithSources}, tags=["experiences"])
    def post(self, request: Request, experience_id: str) -> Response:
        """Take back the last change of an experience."""
        return Response(_shown(reshaping.undo(experience_id, actor_of(request))), HTTPStatus.CREATED)


class MergesView(TenantView):
    """What was merged into one experience."""

    permissions = {"POST": Permission.EDIT}

    @extend_schema(request=MergeRequest, responses={201: ExperienceWithSources}, tags=["experiences"])
    def post(self, request: Request, experience_id: str) -> Response:
        """Put another experience into this one; the other is archived."""
        other = body_object(request, {"other_id"}).get("other_id")
        if not isinstance(other, str):
            raise Invalid("other_id must name the other experience.")
        return Response(_shown(reshaping.merge(experience_id, other, actor_of(request))), HTTPStatus.CREATED)


class SplitsView(TenantView):
    """What one experience was split into."""

    permissions = {"POST": Permission.EDIT}

    @extend_schema(request=SplitRequest, responses={201: ExperienceSerializer(many=True)}, tags=["experiences"])
    def post(self, request: Request, experience_id: str) -> Response:
        """Make several experiences of one, which is archived."""
        parts = body_object(request, {"parts"}).get("parts")
        made = reshaping.split(experience_id, parts or [], actor_of(request))
        return Response(ExperienceSerializer(made, many=True).data, HTTPStatus.CREATED)


def _shown(experience: Experience) -> Any:
    return ExperienceWithSources(experience).data


def _fraction(text: str | None) -> float | None:
    if not text:
        return None
    try:
        number = float(text)
    except ValueError:
        number = -1.0
    if not 0 <= number <= 1:
        raise Invalid("min_confidence must be a number from 0 to 1.")
    return number
