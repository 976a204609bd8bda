"""Hints: `GET /runs/{stream}/hints`."""

from typing import Any
from urllib.parse import urlencode

from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from memory import limits
from memory.api.pages import CURSOR, LIMIT, RowPages, page_of
from memory.api.views import TenantView
from memory.errors import Invalid
from memory.flight import analysis
from memory.models import Hint, Stream
from memory.permissions import Permission
from memory.vocabulary import HintRule, Severity


class HintSerializer(serializers.ModelSerializer[Hint]):
    """What a rule found suspicious about an event."""

    rule = serializers.ChoiceField([str(rule) for rule in HintRule])
    severity = serializers.ChoiceField([str(severity) for severity in Severity])
    evidence = serializers.ListField(child=serializers.IntegerField(), help_text="The versions that show it.")
    tokens_after = serializers.SerializerMethodField(help_text="What providers have reported in the run since.")
    event = serializers.SerializerMethodField(help_text="The address of the event.")

    class Meta:
        model = Hint
        fields = ("rule", "severity", "version", "evidence", "sentence", "tokens_after", "event", "found_at")

    def get_tokens_after(self, item: Hint) -> int:
        stream: Stream = self.context["stream"]
        return item.tokens_after(stream.input_tokens + stream.output_tokens)

    def get_event(self, item: Hint) -> str:
        request: Request = self.context["request"]
        place = urlencode({"from_version": item.version, "limit": 1})
        return request.build_absolute_uri(f"/api/v1/streams/{self.context['stream'].name}/events?{place}")


class HintsView(TenantView):
    """The hints of a run."""

    permissions = {"GET": Permission.SEE}

    @extend_schema(
        parameters=[
            OpenApiParameter("severity", str, enum=list(Severity)),
            OpenApiParameter("rule", str, enum=list(HintRule)),
            LIMIT,
            CURSOR,
        ],
        responses=page_of(
            "HintPage",
            HintSerializer(many=True),
            analysed_to=serializers.IntegerField(help_text="The run's hints are found up to this event."),
            version=serializers.IntegerField(help_text="The run's newest event."),
        ),
        tags=["causes"],
    )
    def get(self, request: Request, stream: str) -> Response:
        """List suspicious steps, in the order of the run; those of rules that are switched off are left out."""
        found = Stream.objects.named(stream)
        progress = analysis.catch_up(found)
        told = Hint.objects.in_stream(found).not_of(limits.names("ARES_HINTS_OFF"))
        pages = RowPages(("version", "id"), int)
        page = pages.paginate_queryset(told.filter(**_filters(request)), request, view=self)
        shown = HintSerializer(page, many=True, context={"request": request, "stream": found}).data
        answer = pages.get_paginated_response(shown)
        answer.data |= {"analysed_to": progress.analysed_to, "version": progress.version}
        return answer


def _filters(request: Request) -> dict[str, Any]:
    words: dict[str, set[str]] = {"severity": set(Severity), "rule": set(HintRule)}
    filters = {name: asked for name in words if (asked := request.query_params.get(name))}
    for name, asked in filters.items():
        if asked not in words[name]:
            raise Invalid(f"{name} must be one of {', '.join(sorted(words[name]))}.")
    return filters
