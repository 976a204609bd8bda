"""Messages of a session: `POST` and `GET /sessions/{id}/messages`."""

from http import HTTPStatus
from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from memory.api import binding
from memory.api.fields import AnyJSONField
from memory.api.front_door import manager_of
from memory.api.pages import CURSOR, LIMIT, RowPages, page_of
from memory.api.views import TenantView
from memory.models import Message, Session
from memory.permissions import Permission


class MessageSerializer(serializers.ModelSerializer[Message]):
    """A message as the API shows it."""

    session_id = serializers.CharField()
    content = AnyJSONField(help_text="A text, a list of parts, or null.")
    tool_calls = AnyJSONField(help_text="The calls that the message asks for, or null.")

    class Meta:
        model = Message
        fields = (
            "id",
            "session_id",
            "number",
            "event_version",
            "role",
            "name",
            "content",
            "tool_calls",
            "tool_call_id",
            "occurred_at",
            "recorded_at",
        )


class MessageRequest(serializers.Serializer[Any]):
    """One message; send a list of them to add several, all or none."""

    role = serializers.CharField(max_length=50, help_text="user, assistant, system, tool, or your own.")
    content = AnyJSONField(help_text="A text, a list of parts, or null beside tool_calls.")
    name = serializers.CharField(max_length=200, required=False)
    tool_calls = AnyJSONField(required=False)
    tool_call_id = serializers.CharField(max_length=200, required=False)
    occurred_at = serializers.DateTimeField(required=False)


class MessagesView(TenantView):
    """The messages of one session."""

    permissions = {"POST": Permission.RECORD, "GET": Permission.SEE}

    @extend_schema(request=MessageRequest, responses={201: MessageSerializer}, tags=["messages"])
    def post(self, request: Request, session_id: str) -> Response:
        """Add a message, or a list of messages."""
        body: Any = request.data
        several = isinstance(body, list)
        binding.check_said(request, *(body if several else [body]))
        added = manager_of(request).add_message(session_id, *(body if several else [body]))
        shown = MessageSerializer(added, many=True).data
        return Response(shown if several else shown[0], HTTPStatus.CREATED)

    def events_in(self, request: Request) -> int:
        return len(request.data) if isinstance(request.data, list) else 1

    @extend_schema(
        parameters=[LIMIT, CURSOR],
        responses=page_of("MessagePage", MessageSerializer(many=True)),
        tags=["messages"],
    )
    def get(self, request: Request, session_id: str) -> Response:
        """List the messages, the first one first."""
        pages = RowPages(("number",), int)
        found = Message.objects.in_session(Session.objects.with_id(session_id))
        page = pages.paginate_queryset(found, request, view=self)
        return pages.get_paginated_response(MessageSerializer(page, many=True).data)
