"""Knowledge: `POST` and `GET /knowledge`, `GET` and `DELETE /knowledge/{id}`."""

from http import HTTPStatus
from typing import Any

from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from memory.api.fields import ObjectField
from memory.api.pages import CURSOR, LIMIT, RowPages, page_of
from memory.api.views import TenantView, body_object
from memory.errors import Invalid
from memory.events.draft import instant, text
from memory.layers import knowledge
from memory.models import Knowledge
from memory.permissions import Permission
from memory.vocabulary import WorkStatus

Q_MAX_LENGTH = 500
STATUS = OpenApiParameter("embedding_status", str, enum=[*WorkStatus])


class KnowledgeSerializer(serializers.ModelSerializer[Knowledge]):
    """A document as the API shows it."""

    metadata = ObjectField()

    class Meta:
        model = Knowledge
        fields = ("id", "title", "text", "metadata", "embedding_status", "created_at", "updated_at")


class KnowledgeRequest(serializers.Serializer[Any]):
    """A document."""

    title = serializers.CharField(max_length=knowledge.TITLE_MAX_LENGTH)
    text = serializers.CharField(max_length=knowledge.TEXT_MAX_LENGTH)
    metadata = ObjectField(required=False)


class KnowledgeListView(TenantView):
    """All documents."""

    permissions = {"GET": Permission.SEE, "POST": Permission.EDIT}
    narrows = True

    @extend_schema(request=KnowledgeRequest, responses={201: KnowledgeSerializer}, tags=["knowledge"])
    def post(self, request: Request) -> Response:
        """Keep a document. Its words are found at once, its meaning as soon as it is embedded."""
        body = body_object(request, {"title", "text", "metadata"})
        kept = knowledge.create(body.get("title"), body.get("text"), body.get("metadata"))
        return Response(KnowledgeSerializer(kept).data, HTTPStatus.CREATED)

    @extend_schema(
        parameters=[STATUS, OpenApiParameter("q", str, description="With this text in title or text."), LIMIT, CURSOR],
        operation_id="knowledge_list",
        responses=page_of("KnowledgePage", KnowledgeSerializer(many=True)),
        tags=["knowledge"],
    )
    def get(self, request: Request) -> Response:
        """List documents, the newest first."""
        pages = RowPages(("-created_at", "-id"), lambda position: instant(position, "cursor"))
        found = Knowledge.objects.matching(*list_filters(request))
        page = pages.paginate_queryset(found, request, view=self)
        return pages.get_paginated_response(KnowledgeSerializer(page, many=True).data)


class KnowledgeView(TenantView):
    """One document."""

    permissions = {"GET": Permission.SEE, "DELETE": Permission.EDIT}

    @extend_schema(responses=KnowledgeSerializer, tags=["knowledge"])
    def get(self, request: Request, knowledge_id: str) -> Response:
        """Show a document."""
        return Response(KnowledgeSerializer(Knowledge.objects.with_id(knowledge_id)).data)

    @extend_schema(responses={204: None}, tags=["knowledge"])
    def delete(self, request: Request, knowledge_id: str) -> Response:
        """Delete a document with all that was made of it."""
        knowledge.delete(knowledge_id)
        return Response(status=HTTPStatus.NO_CONTENT)


def list_filters(request: Request) -> tuple[str, str]:
    """The filters `embedding_status` and `q` of a list.

    Raises:
        Invalid: they are not what they must be.
    """
    status = request.query_params.get("embedding_status") or ""
    if status and status not in set(WorkStatus):
        raise Invalid(f"embedding_status must be one of {', '.join(WorkStatus)}.")
    return status, text(request.query_params.get("q"), "q", Q_MAX_LENGTH)
