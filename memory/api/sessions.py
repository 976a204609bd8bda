"""Sessions: `POST /sessions`, `GET` and `DELETE /sessions/{id}`."""

from datetime import UTC, datetime
from http import HTTPStatus
from typing import Any, cast

from drf_spectacular.utils import extend_schema, inline_serializer
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from memory.api import binding
from memory.api.fields import ObjectField
from memory.api.front_door import manager_of
from memory.api.views import TenantView, body_object
from memory.models import ApiKey, Session
from memory.permissions import Permission


class SessionSerializer(serializers.ModelSerializer[Session]):
    """A session as the API shows it."""

    stream = serializers.CharField(source="id", help_text="The name of the session's stream: its id.")
    status = serializers.SerializerMethodField(help_text="`live` or `expired`")
    metadata = ObjectField()

    class Meta:
        model = Session
        fields = (
            "id",
            "user_id",
            "agent_id",
            "metadata",
            "stream",
            "status",
            "message_count",
            "created_at",
            "last_active_at",
            "expires_at",
        )

    def get_status(self, item: Session) -> str:
        return "expired" if item.is_over(datetime.now(UTC)) else "live"


class SessionRequest(serializers.Serializer[Any]):
    """What opens a session."""

    user_id = serializers.CharField(max_length=200)
    agent_id = serializers.CharField(max_length=200, required=False)
    metadata = ObjectField(required=False)


Receipt = inline_serializer(
    "DeletionReceipt",
    {
        "id": serializers.CharField(),
        "deleted_at": serializers.DateTimeField(),
        "rows": serializers.DictField(child=serializers.IntegerField(), help_text="How many rows went, by table."),
    },
)


class SessionsView(TenantView):
    """All sessions."""

    permissions = {"POST": Permission.RECORD}
    narrows = True

    @extend_schema(request=SessionRequest, responses={201: SessionSerializer}, tags=["sessions"])
    def post(self, request: Request) -> Response:
        """Open a session."""
        body = body_object(request, {"user_id", "agent_id", "metadata"})
        binding.check_said(request, body)
        agent_id = body.get("agent_id") or cast(ApiKey, request.auth).agent_id or None
        created = manager_of(request).create_session(body.get("user_id"), agent_id, body.get("metadata"))
        return Response(SessionSerializer(created).data, HTTPStatus.CREATED)


class SessionView(TenantView):
    """One session."""

    permissions = {"GET": Permission.SEE, "DELETE": Permission.ERASE}

    @extend_schema(responses=SessionSerializer, tags=["sessions"])
    def get(self, request: Request, session_id: str) -> Response:
        """Show a session."""
        return Response(SessionSerializer(Session.objects.with_id(session_id)).data)

    @extend_schema(responses={200: Receipt}, tags=["sessions"])
    def delete(self, request: Request, session_id: str) -> Response:
        """Delete a session and all its content. The answer is a receipt that counts what went."""
        return Response(manager_of(request).delete_session(session_id))
