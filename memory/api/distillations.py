"""Distillations: of a task, of a session, and what came of them."""

from http import HTTPStatus
from typing import Any

from drf_spectacular.utils import OpenApiParameter, extend_schema, inline_serializer
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from memory.api import binding
from memory.api.experiences import ExperienceSerializer
from memory.api.fields import AnyJSONField, ObjectField
from memory.api.front_door import actor_of, manager_of
from memory.api.pages import CURSOR, LIMIT, RowPages, page_of
from memory.api.views import TenantView, body_object
from memory.distillation import redistil
from memory.errors import Invalid
from memory.events.draft import instant
from memory.models import Decision, Distillation, Experience, Session, Stream
from memory.permissions import Permission
from memory.vocabulary import WorkStatus


class DistillationSerializer(serializers.ModelSerializer[Distillation]):
    """A distillation as a list shows it."""

    rules = ObjectField()

    class Meta:
        model = Distillation
        fields = (
            "id",
            "status",
            "mode",
            "reason",
            "draft",
            "rules",
            "stream_name",
            "session_id",
            "task_id",
            "user_id",
            "agent_id",
            "requested_by",
            "error",
            "messages",
            "exchanges",
            "candidates",
            "input_tokens",
            "memory_tokens",
            "created_at",
            "started_at",
            "completed_at",
        )


class DecisionSerializer(serializers.ModelSerializer[Decision]):
    """One decision, with what it was about and both texts."""

    candidate = AnyJSONField()
    experience_id = serializers.CharField(allow_null=True)

    class Meta:
        model = Decision
        fields = (
            "number",
            "stage",
            "action",
            "rule",
            "reason",
            "similarity",
            "candidate",
            "neighbour_id",
            "neighbour_text",
            "result_text",
            "experience_id",
        )


class TaskDistillationRequest(serializers.Serializer[Any]):
    """How a task is to be distilled."""

    mode = serializers.ChoiceField(
        ["light", "full"], required=False, help_text="The tenant's policy chooses where it is left out."
    )


class SessionDistillationRequest(serializers.Serializer[Any]):
    """How a session is to be distilled."""

    draft = serializers.BooleanField(required=False, help_text="A try that changes nothing until it is accepted.")
    rules = ObjectField(required=False, help_text="Of a draft: settings in the place of the tenant's, by name.")


class DistillationWithResults(DistillationSerializer):
    """A distillation with its decisions, what it let go before deciding, and the experiences it made or changed."""

    decisions = DecisionSerializer(many=True)
    dropped = DecisionSerializer(many=True)
    experiences = ExperienceSerializer(many=True)

    class Meta(DistillationSerializer.Meta):
        fields = (*DistillationSerializer.Meta.fields, "decisions", "dropped", "experiences")  # type: ignore[assignment]


Changes = inline_serializer(
    "AcceptedDraft",
    {name: serializers.ListField(child=serializers.CharField()) for name in ("added", "gone", "changed")},
)
Dropped = inline_serializer("DroppedDraft", {"rows": serializers.DictField(child=serializers.IntegerField())})


class TaskDistillationsView(TenantView):
    """The distillations of one task."""

    permissions = {"POST": Permission.RECORD}

    @extend_schema(
        request=TaskDistillationRequest,
        responses={201: DistillationSerializer, 202: DistillationSerializer},
        tags=["distillations"],
    )
    def post(self, request: Request, task_id: str) -> Response:
        """Distil a task: light is done at once (201), full in the background (202)."""
        wish = body_object(request, {"mode"}).get("mode")
        return _answer(manager_of(request).distill_by_policy(task_id, wish))


class SessionDistillationsView(TenantView):
    """The distillations of one session."""

    permissions = {"POST": Permission.RECORD}

    @extend_schema(request=SessionDistillationRequest, responses={202: DistillationSerializer}, tags=["distillations"])
    def post(self, request: Request, session_id: str) -> Response:
        """Distil a whole session, in the background."""
        body = body_object(request, {"draft", "rules"})
        draft, rules = body.get("draft", False), body.get("rules", {})
        if not isinstance(draft, bool) or not isinstance(rules, dict):
            raise Invalid("draft must be true or false, and rules an object.")
        if rules and not draft:
            raise Invalid("rules can be given for a draft alone.")
        manager = manager_of(request)
        if draft:
            stream = Stream.objects.named(Session.objects.with_id(session_id).pk)
            return _answer(manager.redistil(stream, rules))
        return _answer(manager.distill_session(session_id))


class DistillationsView(TenantView):
    """All distillations."""

    permissions = {"GET": Permission.SEE}
    narrows = True

    @extend_schema(
        operation_id="distillations_list",
        parameters=[
            OpenApiParameter("status", str, enum=[str(status) for status in WorkStatus]),
            OpenApiParameter("session_id", str),
            OpenApiParameter("task_id", str),
            LIMIT,
            CURSOR,
        ],
        responses=page_of("DistillationPage", DistillationSerializer(many=True)),
        tags=["distillations"],
    )
    def get(self, request: Request) -> Response:
        """List distillations, the newest first."""
        asked = request.query_params
        if asked.get("status") and asked["status"] not in set(WorkStatus):
            raise Invalid(f"status must be one of {', '.join(WorkStatus)}.")
        mine = binding.mine(request, Distillation.objects.all())
        found = mine.matching(asked.get("status"), asked.get("session_id"), asked.get("task_id"))
        pages = RowPages(("-created_at", "-id"), lambda text: instant(text, "cursor"))
        page = pages.paginate_queryset(found, request, view=self)
        return pages.get_paginated_response(DistillationSerializer(page, many=True).data)


class DistillationView(TenantView):
    """One distillation."""

    permissions = {"GET": Permission.SEE, "DELETE": Permission.EDIT}

    @extend_schema(responses=DistillationWithResults, tags=["distillations"])
    def get(self, request: Request, distillation_id: str) -> Response:
        """Show where a distillation stands and what came of it."""
        found = Distillation.objects.with_id(distillation_id)
        decisions = list(found.decisions.order_by("number"))
        made = [each for each in decisions if each.stage != "filter"]
        ids = {each.experience_id for each in made if each.experience_id and each.action != "discard"}
        kept = binding.known(request, Experience.objects.filter(pk__in=ids)).order_by("created_at", "pk")
        return Response(
            {
                **DistillationSerializer(found).data,
                "decisions": DecisionSerializer(made, many=True).data,
                "dropped": DecisionSerializer([each for each in decisions if each.stage == "filter"], many=True).data,
                "experiences": ExperienceSerializer(kept, many=True).data,
            }
        )

    @extend_schema(responses={200: Dropped}, tags=["distillations"])
    def delete(self, request: Request, distillation_id: str) -> Response:
        """Throw a draft away."""
        return Response({"rows": redistil.drop(Distillation.objects.with_id(distillation_id))})


class AcceptancesView(TenantView):
    """The acceptance of a draft."""

    permissions = {"POST": Permission.EDIT}

    @extend_schema(request=None, responses={201: Changes}, tags=["distillations"])
    def post(self, request: Request, distillation_id: str) -> Response:
        """Let a draft take the place of what is known from its session."""
        told = redistil.accept(Distillation.objects.with_id(distillation_id), actor_of(request))
        changes = {
            "added": [each.pk for each in told.added],
            "gone": [each.pk for each in told.gone],
            "changed": [now.pk for now, _ in told.changed],
        }
        return Response(changes, HTTPStatus.CREATED)


def _answer(made: Distillation) -> Response:
    status = HTTPStatus.ACCEPTED if made.status == WorkStatus.PENDING else HTTPStatus.CREATED
    return Response(DistillationSerializer(made).data, status)
