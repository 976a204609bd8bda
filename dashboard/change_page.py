"""What the pages of changes begin with, and what stands in them again after an error. Needs a tenant's scope."""

from collections.abc import Mapping
from typing import Any

from dashboard import experience_page, experiences
from dashboard.change_forms import shown_confidence
from memory.models import Experience
from memory.vocabulary import Kind


def opened(experience: Experience, query: Mapping[str, str]) -> dict[str, Any]:
    """What a change begins with. `with` of the query names the other one of a merge.

    Raises:
        NotFound: there is no such other one.
    """
    asked = query.get("with", "").strip()
    other = Experience.objects.with_id(asked) if asked and asked != experience.pk else None
    [shown] = experiences.shown([experience])
    return {
        "shown": shown,
        "asked": asked,
        "other": other,
        "kinds": [str(kind) for kind in Kind],
        "neighbours": [] if other else experience_page.neighbours(experience),
        "typed": _fields(experience),
        "first": {"problem": experience.problem, "solution": experience.solution},
        "second": {"problem": experience.problem, "solution": ""},
    }


def typed(form: Mapping[str, str]) -> dict[str, Any]:
    """What was typed, in the place of what a change began with."""
    return {
        "typed": form,
        "first": {"problem": form.get("problem-1", ""), "solution": form.get("solution-1", "")},
        "second": {"problem": form.get("problem-2", ""), "solution": form.get("solution-2", "")},
    }


def _fields(experience: Experience) -> dict[str, Any]:
    return {
        "problem": experience.problem,
        "solution": experience.solution,
        "kind": experience.kind,
        "subject": experience.subject,
        "value": experience.value,
        "confidence": shown_confidence(experience.confidence),
        "revision": experience.revision,
    }
