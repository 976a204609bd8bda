"""Tools: `POST` and `GET /tools`, `GET` and `DELETE /tools/{id}`."""

from http import HTTPStatus
from typing import Any

from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from memory.api.fields import AnyJSONField, ObjectField
from memory.api.knowledge import STATUS, list_filters
from memory.api.pages import CURSOR, LIMIT, RowPages, page_of
from memory.api.views import TenantView, body_object
from memory.events.draft import instant
from memory.layers import tool
from memory.models import Tool
from memory.permissions import Permission


class ToolSerializer(serializers.ModelSerializer[Tool]):
    """A tool as the API shows it."""

    schema = AnyJSONField(help_text="The JSON schema of the arguments, or null.")

    class Meta:
        model = Tool
        fields = ("id", "name", "description", "schema", "embedding_status", "created_at", "updated_at")


class ToolRequest(serializers.Serializer[Any]):
    """A tool."""

    name = serializers.CharField(max_length=tool.NAME_MAX_LENGTH)
    description = serializers.CharField(max_length=tool.DESCRIPTION_MAX_LENGTH)
    schema = ObjectField(required=False)


class ToolsView(TenantView):
    """All tools."""

    permissions = {"GET": Permission.SEE, "POST": Permission.EDIT}
    narrows = True

    @extend_schema(request=ToolRequest, responses={200: ToolSerializer, 201: ToolSerializer}, tags=["tools"])
    def post(self, request: Request) -> Response:
        """Keep a tool: 201; one of the same name is replaced: 200."""
        body = body_object(request, {"name", "description", "schema"})
        kept, is_new = tool.keep(body.get("name"), body.get("description"), body.get("schema"))
        return Response(ToolSerializer(kept).data, HTTPStatus.CREATED if is_new else HTTPStatus.OK)

    @extend_schema(
        parameters=[
            STATUS,
            OpenApiParameter("q", str, description="With this text in name or description."),
            LIMIT,
            CURSOR,
        ],
        operation_id="tools_list",
        responses=page_of("ToolPage", ToolSerializer(many=True)),
        tags=["tools"],
    )
    def get(self, request: Request) -> Response:
        """List tools, the newest first."""
        pages = RowPages(("-created_at", "-id"), lambda position: instant(position, "cursor"))
        page = pages.paginate_queryset(Tool.objects.matching(*list_filters(request)), request, view=self)
        return pages.get_paginated_response(ToolSerializer(page, many=True).data)


class ToolView(TenantView):
    """One tool."""

    permissions = {"GET": Permission.SEE, "DELETE": Permission.EDIT}

    @extend_schema(responses=ToolSerializer, tags=["tools"])
    def get(self, request: Request, tool_id: str) -> Response:
        """Show a tool."""
        return Response(ToolSerializer(Tool.objects.with_id(tool_id)).data)

    @extend_schema(responses={204: None}, tags=["tools"])
    def delete(self, request: Request, tool_id: str) -> Response:
        """Delete a tool with all that was made of it."""
        tool.delete(tool_id)
        return Response(status=HTTPStatus.NO_CONTENT)
