"""Tasks: `POST /tasks`, `GET` and `PATCH /tasks/{id}`."""

from http import HTTPStatus
from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from memory.api import binding
from memory.api.fields import AnyJSONField
from memory.api.front_door import manager_of
from memory.api.views import TenantView, body_object
from memory.models import Task
from memory.permissions import Permission


class TaskSerializer(serializers.ModelSerializer[Task]):
    """A task as the API shows it."""

    session_id = serializers.CharField()
    input = AnyJSONField()
    output = AnyJSONField()

    class Meta:
        model = Task
        fields = ("id", "session_id", "user_id", "input", "output", "status", "created_at", "updated_at")


class TaskRequest(serializers.Serializer[Any]):
    """What opens a task."""

    session_id = serializers.CharField()
    user_id = serializers.CharField(
        max_length=200, required=False, help_text="The session's user where it is left out."
    )
    input = AnyJSONField(help_text="What the task is: a text or any JSON but null.")


class TaskEnding(serializers.Serializer[Any]):
    """What ends a task."""

    status = serializers.ChoiceField(["completed", "failed"])
    output = AnyJSONField(required=False)


class TasksView(TenantView):
    """All tasks."""

    permissions = {"POST": Permission.RECORD}
    narrows = True

    @extend_schema(request=TaskRequest, responses={201: TaskSerializer}, tags=["tasks"])
    def post(self, request: Request) -> Response:
        """Open a task."""
        body = body_object(request, {"session_id", "user_id", "input"})
        binding.check_said(request, body)
        binding.check_session(request, body.get("session_id"))
        manager = manager_of(request)
        created = manager.create_task(body.get("session_id"), body.get("user_id"), body.get("input"))
        return Response(TaskSerializer(created).data, HTTPStatus.CREATED)


class TaskView(TenantView):
    """One task."""

    permissions = {"GET": Permission.SEE, "PATCH": Permission.RECORD}

    @extend_schema(responses=TaskSerializer, tags=["tasks"])
    def get(self, request: Request, task_id: str) -> Response:
        """Show a task."""
        return Response(TaskSerializer(Task.objects.with_id(task_id)).data)

    @extend_schema(request=TaskEnding, responses=TaskSerializer, tags=["tasks"])
    def patch(self, request: Request, task_id: str) -> Response:
        """End a task as completed or failed."""
        body = body_object(request, {"status", "output"})
        closed = manager_of(request).update_task_output(task_id, body.get("status"), body.get("output"))
        return Response(TaskSerializer(closed).data)
