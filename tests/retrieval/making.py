"""Experiences, documents and vectors for tests of retrieval."""

import math
from datetime import UTC, datetime, timedelta
from typing import Any

from memory.models import Experience, Source
from memory.retrieval import items, lexical
from memory.tenancy import current_tenant_id
from memory.vocabulary import Kind, Method, new_id
from tests.embed import embed

NOW = datetime(2026, 5, 1, tzinfo=UTC)


def experience(solution: str, *, problem: str = "", **fields: Any) -> Experience:
    """An experience that is indexed, of a kind that is shared unless `fields` say otherwise."""
    made = Experience.objects.create(
        **{
            "id": new_id("exp_"),
            "tenant_id": current_tenant_id(),
            "kind": Kind.SOLUTION,
            "method": Method.DIRECT,
            "problem": problem,
            "solution": solution,
            "confidence": 0.8,
            "importance": 0.5,
            "valid_from": NOW - timedelta(days=1),
            "digest": new_id("").encode().ljust(32),
            "created_at": NOW,
            "updated_at": NOW,
            **fields,
        }
    )
    lexical.index(items.of_experiences([made]))
    return made


def source(of: Experience, stream: str, version: int) -> None:
    """The event that an experience came from; it is indexed anew, since that gives it its place."""
    Source.objects.create(
        tenant_id=of.tenant_id,
        experience=of,
        stream_name=stream,
        event_version=version,
        message_id=f"msg_{version}",
        created_at=NOW,
    )
    lexical.index(items.of_experiences([of]))


class Angles:
    """A model for tests: two dimensions, and the direction of a text is the number in it, in degrees."""

    model, dimension = "angles", 2

    def embed_query(self, texts: list[str]) -> Any:
        import numpy as np

        angles = [math.radians(float(text.split()[-1])) for text in texts]
        return np.array([[math.cos(angle), math.sin(angle)] for angle in angles], np.float32)

    embed_passages = embed_query


def embedded(*made: Any, model: Any = None) -> None:
    """Give these rows their vectors."""
    from memory.embedding.current import embedder

    embed([row.pk for row in made], model or embedder())
