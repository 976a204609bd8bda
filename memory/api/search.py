"""Search: `POST /search`."""

from typing import Any

from drf_spectacular.utils import extend_schema, inline_serializer
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from memory import jobs
from memory.api import binding
from memory.api.fields import ObjectField
from memory.api.rendering import exact
from memory.api.views import TenantView, body_object
from memory.layers import recall
from memory.permissions import Permission
from memory.retrieval import asked, plan
from memory.retrieval.plan import Fusion
from memory.retrieval.search import MAX_LIMIT, MAX_QUERY, Hit
from memory.tenancy import current_tenant_id
from memory.vocabulary import Collection, ExperienceStatus, Kind

DEFAULT_LIMIT = 10
WEIGHTS = (
    "experience_weight",
    "knowledge_weight",
    "tools_weight",
    "vector_weight",
    "lexical_weight",
    "neighbour_weight",
    "name_weight",
    "recency_weight",
    "use_weight",
    "feedback_weight",
    "confidence_floor",
    "relevance_floor",
    "rerank_weight",
)

PlanRequest = inline_serializer(
    "SearchPlan",
    {
        **{name: serializers.FloatField(required=False, default=getattr(plan.Plan(), name)) for name in WEIGHTS},
        "fusion": serializers.ChoiceField(list(Fusion), required=False),
        "rewrite": serializers.BooleanField(required=False, help_text="Have the language model say what is meant."),
        "half_lives": serializers.DictField(child=serializers.FloatField(), required=False, help_text="Days, by kind."),
    },
    required=False,
    help_text="What counts how much; left out fields have their default.",
)
FiltersRequest = inline_serializer(
    "SearchFilters",
    {
        "user_id": serializers.CharField(
            required=False, help_text="What this user may see: the own and the shared. Without it: the shared alone."
        ),
        "all_users": serializers.BooleanField(required=False, help_text="true: what is everybody's own, too."),
        "kind": serializers.MultipleChoiceField(choices=list(Kind), required=False, help_text="One, or a list."),
        "status": serializers.MultipleChoiceField(
            choices=list(ExperienceStatus), required=False, help_text="active without it."
        ),
        "agent_id": serializers.CharField(required=False),
        "min_confidence": serializers.FloatField(required=False),
        "since": serializers.DateTimeField(required=False),
        "until": serializers.DateTimeField(required=False),
        "as_of": serializers.DateTimeField(required=False, help_text="What held at that time."),
        "metadata": ObjectField(required=False, help_text="What the item's metadata must contain."),
    },
    required=False,
)


class SearchRequest(serializers.Serializer[Any]):
    """What to look for."""

    query = serializers.CharField(max_length=MAX_QUERY)
    limit = serializers.IntegerField(required=False, default=DEFAULT_LIMIT, min_value=1, max_value=MAX_LIMIT)
    plan = PlanRequest
    filters = FiltersRequest
    stream = serializers.CharField(
        required=False,
        help_text="The session or stream on whose behalf it is asked: the recall is recorded there as memory.recalled.",
    )


SearchAnswer = inline_serializer(
    "SearchAnswer",
    {
        "results": inline_serializer(
            "SearchResult",
            {
                "source": serializers.ChoiceField(list(Collection)),
                "id": serializers.CharField(),
                "text": serializers.CharField(),
                "score": serializers.FloatField(),
                "scores": ObjectField(help_text="The parts of the score, which add up to it."),
                "raw": ObjectField(help_text="What the legs said: the cosine (`vector`) and BM25 (`lexical`)."),
                "provenance": ObjectField(help_text="What it is, and where it came from."),
            },
            many=True,
        ),
        "missing": ObjectField(help_text="What could not be asked, each with the reason."),
        "rewritten": serializers.CharField(help_text="What was searched for, where it was said in other words."),
    },
)


class SearchView(TenantView):
    """Search over experiences, documents and tools."""

    permissions = {"POST": Permission.RECALL}
    narrows = True

    @extend_schema(request=SearchRequest, responses={200: SearchAnswer}, tags=["search"])
    def post(self, request: Request) -> Response:
        """Find what fits a query, the best first, each with the parts of its score."""
        body = body_object(request, {"query", "limit", "plan", "filters", "stream"})
        binding.check_stream(request, body.get("stream"))
        found = recall.recall(
            body.get("query"),
            DEFAULT_LIMIT if body.get("limit") is None else body["limit"],
            plan=plan.parse(body.get("plan")),
            allowed=binding.check_filters(request, asked.filters(body.get("filters"))),
            stream=body.get("stream"),
        )
        if body.get("stream") is not None and recall.used(found):
            jobs.enqueue(jobs.note_use, current_tenant_id(), recall.used(found))
        results = [_shown(hit) for hit in found.hits]
        return Response({"results": results, "missing": found.missing, "rewritten": found.rewritten})


def _shown(hit: Hit) -> dict[str, Any]:
    provenance = {
        name: exact(value) if name in ("metadata", "schema") else value for name, value in hit.provenance.items()
    }
    return {
        "source": hit.source,
        "id": hit.id,
        "text": hit.text,
        "score": hit.score,
        "scores": hit.scores,
        "raw": hit.raw,
        "provenance": provenance,
    }
