"""Contexts: `POST /sessions/{id}/context`."""

from functools import partial
from typing import Any

from drf_spectacular.utils import extend_schema, inline_serializer
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from memory import jobs
from memory.api.fields import AnyJSONField
from memory.api.rendering import exact
from memory.api.search import PlanRequest
from memory.api.views import TenantView, body_object
from memory.layers import context, recollection
from memory.layers.context import MOST_EXPERIENCES, MOST_HISTORY, MOST_TOKENS, Context
from memory.permissions import Permission
from memory.retrieval import plan
from memory.tenancy import current_tenant_id
from memory.vocabulary import ContextMethod, Shape


class ContextRequest(serializers.Serializer[Any]):
    """What the next turn is about, and what its context may take."""

    input = serializers.CharField(help_text="The question. One that was just added as a message is not repeated.")
    max_tokens = serializers.IntegerField(required=False, min_value=1, max_value=MOST_TOKENS)
    max_history = serializers.IntegerField(
        required=False, min_value=0, max_value=MOST_HISTORY, help_text="Newest messages at most; 0 for none."
    )
    top_k = serializers.IntegerField(
        required=False, min_value=0, max_value=MOST_EXPERIENCES, help_text="Experiences at most; 0 for none."
    )
    shape = serializers.ChoiceField(list(Shape), required=False, help_text="text without it")
    model = serializers.CharField(
        required=False, max_length=200, help_text="What it is for: decides vocabulary and price."
    )
    plan = PlanRequest


ContextAnswer = inline_serializer(
    "Context",
    {
        "session_id": serializers.CharField(),
        "context": AnyJSONField(help_text="What to send: a text, or chat messages."),
        "shape": serializers.ChoiceField(list(Shape)),
        "messages": inline_serializer(
            "ContextMessage",
            {
                "id": serializers.CharField(),
                "number": serializers.IntegerField(),
                "event_version": serializers.IntegerField(),
                "role": serializers.CharField(),
                "name": serializers.CharField(),
                "content": AnyJSONField(),
                "tool_calls": AnyJSONField(),
                "tool_call_id": serializers.CharField(),
            },
            many=True,
        ),
        "experiences": inline_serializer(
            "ContextExperience",
            {
                "id": serializers.CharField(),
                "kind": serializers.CharField(),
                "text": serializers.CharField(),
                "score": serializers.FloatField(),
                "scores": serializers.DictField(child=serializers.FloatField()),
            },
            many=True,
            help_text="The best first.",
        ),
        "tokens": inline_serializer(
            "ContextTokens",
            {
                "raw": serializers.IntegerField(help_text="The whole history and the question."),
                "sent": serializers.IntegerField(help_text="This context, exactly."),
                "saved": serializers.IntegerField(help_text="The difference; negative where more is sent."),
            },
        ),
        "left_out": inline_serializer(
            "LeftOut",
            {
                "what": serializers.ChoiceField(["messages", "experience"]),
                "id": serializers.CharField(required=False, help_text="The experience."),
                "number": serializers.IntegerField(required=False, help_text="The first of the messages."),
                "count": serializers.IntegerField(required=False, help_text="How many messages."),
                "tokens": serializers.IntegerField(),
                "reason": serializers.CharField(),
            },
            many=True,
        ),
        "method": serializers.ChoiceField(list(ContextMethod)),
        "vocabulary": serializers.CharField(),
        "is_exact": serializers.BooleanField(help_text="Whether the vocabulary is the model's own."),
        "missing": serializers.DictField(child=serializers.CharField(), help_text="What memory could not be asked."),
        "session_cache": serializers.ChoiceField(["hit", "extended", "miss"]),
        "event_version": serializers.IntegerField(help_text="The event context.built in the session's stream."),
    },
)


class ContextView(TenantView):
    """The context of one session."""

    permissions = {"POST": Permission.RECALL}

    @extend_schema(request=ContextRequest, responses={200: ContextAnswer}, tags=["sessions"])
    def post(self, request: Request, session_id: str) -> Response:
        """Build the context for the next turn: the newest messages and the experience that fits, within a budget."""
        fields = ("input", "max_tokens", "max_history", "top_k", "shape", "model")
        body = body_object(request, {*fields, "plan"})
        recall = partial(recollection.recall, plan=plan.parse(body.get("plan")))
        made = context.build_context(session_id, *(body.get(name) for name in fields), recall=recall)
        if made.experiences:
            jobs.enqueue(jobs.note_use, current_tenant_id(), [each.id for each in made.experiences])
        return Response(as_json(session_id, made))


def as_json(session_id: str, made: Context) -> dict[str, Any]:
    """A context as the API shows it. It names its session, with which an answer kept for retries is erased."""
    return {
        "session_id": session_id,
        "context": exact(made.content),
        "shape": made.shape,
        "messages": [
            {
                "id": line.id,
                "number": line.number,
                "event_version": line.version,
                "role": line.role,
                "name": line.name,
                "content": exact(line.content),
                "tool_calls": exact(line.tool_calls),
                "tool_call_id": line.tool_call_id,
            }
            for line in made.messages
        ],
        "experiences": [
            {"id": each.id, "kind": each.kind, "text": each.text, "score": each.score, "scores": dict(each.scores)}
            for each in made.experiences
        ],
        "tokens": {"raw": made.tokens.raw, "sent": made.tokens.sent, "saved": made.tokens.saved},
        "left_out": [context.told(left) for left in made.left_out],
        "method": made.method,
        "vocabulary": made.vocabulary,
        "is_exact": made.is_exact,
        "missing": dict(made.missing),
        "session_cache": made.cached,
        "event_version": made.event_version,
    }
