"""Agents: `GET /agents`, `GET /agents/{id}` and `POST /agents/{id}/recovery`."""

from dataclasses import asdict
from datetime import UTC, datetime
from typing import Any
from urllib.parse import urlencode

from drf_spectacular.utils import OpenApiParameter, OpenApiResponse, extend_schema, inline_serializer
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from memory import conf, recovery
from memory.api import binding
from memory.api.fields import AnyJSONField, ObjectField
from memory.api.pages import LIMIT, page_of, page_size
from memory.api.rendering import exact
from memory.api.views import TenantView, body_object
from memory.flight import agents
from memory.flight.agents import Agent
from memory.permissions import Permission
from memory.vocabulary import HealthState

AgentShape = inline_serializer(
    "Agent",
    {
        "id": serializers.CharField(),
        "health": serializers.ChoiceField([str(state) for state in HealthState]),
        "reason": serializers.CharField(help_text="Why it is taken to be so, in a sentence."),
        "open_tasks": serializers.IntegerField(),
        "restarts": serializers.IntegerField(help_text="Recoveries within ARES_FLAPPING_SECONDS."),
        "is_flapping": serializers.BooleanField(),
        "streams": serializers.IntegerField(),
        "newest_stream": serializers.CharField(help_text="The stream in which it worked last."),
        "last_session_id": serializers.CharField(allow_null=True),
        "last_event_at": serializers.DateTimeField(),
        "last_work_at": serializers.DateTimeField(
            allow_null=True, help_text="Of its last event that is not a heartbeat."
        ),
        "last_heartbeat_at": serializers.DateTimeField(allow_null=True),
    },
)
RecoveryRequest = inline_serializer(
    "RecoveryRequest",
    {
        "limit": serializers.IntegerField(
            required=False,
            min_value=1,
            max_value=recovery.MOST_MESSAGES,
            help_text="Most messages of the conversation.",
        )
    },
)
Proof = inline_serializer(
    "RecoveryProof",
    {
        "stream": serializers.CharField(),
        "reducer_version": serializers.IntegerField(),
        "version": serializers.IntegerField(allow_null=True, help_text="The state is the one after this event."),
        "snapshot_version": serializers.IntegerField(allow_null=True, help_text="0: from the first event."),
        "from_version": serializers.IntegerField(allow_null=True),
        "to_version": serializers.IntegerField(allow_null=True),
        "events_replayed": serializers.IntegerField(allow_null=True),
        "head_hash": serializers.CharField(allow_null=True),
        "verified": serializers.BooleanField(allow_null=True, help_text="The replayed events' hashes follow."),
        "broken_at": serializers.IntegerField(allow_null=True, help_text="The first version whose hash does not."),
        "milliseconds": serializers.DictField(child=serializers.FloatField(), help_text="The time of each phase."),
    },
)
RecoveryShape = inline_serializer(
    "Recovery",
    {
        "agent_id": serializers.CharField(),
        "session_id": serializers.CharField(allow_null=True, help_text="Null where no session of it is live."),
        "stream": serializers.CharField(),
        "state": ObjectField(allow_null=True),
        "conversation_history": inline_serializer(
            "RecoveredMessage",
            {
                "event_version": serializers.IntegerField(),
                "role": serializers.CharField(),
                "name": serializers.CharField(),
                "content": AnyJSONField(),
                "tool_calls": AnyJSONField(),
                "tool_call_id": serializers.CharField(),
                "occurred_at": serializers.DateTimeField(),
            },
            many=True,
            allow_null=True,
        ),
        "open_tasks": inline_serializer(
            "RecoveredTask",
            {
                "id": serializers.CharField(),
                "session_id": serializers.CharField(allow_null=True),
                "user_id": serializers.CharField(),
                "input": AnyJSONField(),
                "created_at": serializers.DateTimeField(allow_null=True),
            },
            many=True,
            allow_null=True,
        ),
        "experiences": serializers.ListField(child=ObjectField(), allow_null=True),
        "missing": inline_serializer(
            "MissingPart",
            {
                "part": serializers.ChoiceField(["operational", "cognitive", "record"]),
                "fields": serializers.ListField(child=serializers.CharField()),
                "reason": serializers.CharField(),
            },
            many=True,
        ),
        "restored_version": serializers.IntegerField(allow_null=True, help_text="The event `agent.restored`."),
        "flapping": inline_serializer(
            "Flapping",
            {
                "is_flapping": serializers.BooleanField(),
                "restarts": serializers.IntegerField(help_text="This one included."),
                "seconds": serializers.IntegerField(),
            },
        ),
        "proof": Proof,
    },
)


class AgentsView(TenantView):
    """All agents."""

    permissions = {"GET": Permission.SEE}
    narrows = True

    @extend_schema(
        operation_id="agents_list",
        parameters=[LIMIT, OpenApiParameter("after", str, description="The id of an agent: those behind it.")],
        responses=page_of("AgentPage", type(AgentShape)(many=True)),
        tags=["agents"],
    )
    def get(self, request: Request) -> Response:
        """List agents by their ids, each with its health and the reason for it."""
        limit, after = page_size(request), request.query_params.get("after", "")
        told = binding.own_agents(request, agents.everyone(datetime.now(UTC)))
        behind = [agent for agent in told if agent.id > after]
        shown = behind[:limit]
        link = f"{request.path}?{urlencode({'after': shown[-1].id, 'limit': limit})}" if len(behind) > limit else None
        results = [_as_json(agent) for agent in shown]
        following = link and request.build_absolute_uri(link)
        return Response({"next": following, "previous": None, "results": results})


class AgentView(TenantView):
    """One agent."""

    permissions = {"GET": Permission.SEE}

    @extend_schema(responses=AgentShape, tags=["agents"])
    def get(self, request: Request, agent_id: str) -> Response:
        """Show an agent's health and where it worked last."""
        return Response(_as_json(agents.named(agent_id, datetime.now(UTC))))


class RecoveryView(TenantView):
    """The recovery of an agent."""

    permissions = {"POST": Permission.RECALL}

    @extend_schema(
        request=RecoveryRequest,
        responses={
            200: OpenApiResponse(
                RecoveryShape, description="What is null could not be given in time; `missing` says why."
            )
        },
        tags=["agents"],
    )
    def post(self, request: Request, agent_id: str) -> Response:
        """Give a restarted agent back what it knew: state, conversation and open tasks, and record `agent.restored`."""
        most_messages = body_object(request, {"limit"}).get("limit", recovery.DEFAULT_MESSAGES)
        return Response(_recovered(recovery.recover(agent_id, most_messages)))


def _as_json(agent: Agent) -> dict[str, Any]:
    return {
        "id": agent.id,
        "health": agent.health.state,
        "reason": agent.health.reason,
        "open_tasks": agent.open_tasks,
        "restarts": agent.restarts,
        "is_flapping": agent.is_flapping,
        "streams": agent.streams,
        "newest_stream": agent.newest_run,
        "last_session_id": agent.last_session_id,
        "last_event_at": agent.last_event_at,
        "last_work_at": agent.last_work_at,
        "last_heartbeat_at": agent.last_heartbeat_at,
    }


def _recovered(made: recovery.Recovery) -> dict[str, Any]:
    said, tasks = made.conversation_history, made.open_tasks
    return {
        "agent_id": made.agent_id,
        "session_id": made.session_id,
        "stream": made.stream,
        "state": None if made.state is None else exact(made.state),
        "conversation_history": said
        and [
            {**asdict(message), "content": exact(message.content), "tool_calls": exact(message.tool_calls)}
            for message in said
        ],
        "open_tasks": tasks and [{**asdict(task), "input": exact(task.input)} for task in tasks],
        "experiences": made.experiences,
        "missing": [asdict(missing) for missing in made.missing],
        "restored_version": made.restored_version,
        "flapping": {
            "is_flapping": made.is_flapping,
            "restarts": made.restarts,
            "seconds": conf.value("ARES_FLAPPING_SECONDS"),
        },
        "proof": recovery.proof(made),
    }
