"""Forms of changes, and the verbs of the domain that they call. Needs a tenant's scope."""

from collections.abc import Callable, Mapping

from memory.errors import Invalid
from memory.layers import distilled
from memory.models import Experience

Form = Mapping[str, str]
Apply = Callable[[Experience, Form, str], object]


def apply(name: str, experience: Experience, form: Form, actor: str) -> None:
    """Do what the verb of this name says; `actor` is who does it, as revisions name it.

    Raises:
        Invalid, NotFound: what was typed cannot be done.
        Conflict: the experience has changed meanwhile, or it is in no state for that.
    """
    APPLY[name](experience, form, actor)


def _edit(experience: Experience, form: Form, actor: str) -> None:
    distilled.edit(
        experience.pk,
        {
            "problem": form.get("problem", "").strip(),
            "solution": form.get("solution", "").strip(),
            "kind": form.get("kind", ""),
            "confidence": fraction(form.get("confidence", "")),
        },
        actor=actor,
        reason=form.get("reason", "").strip(),
    )


def fraction(text: str) -> float:
    """A confidence that was typed.

    Raises:
        Invalid: it is no number from 0 to 1.
    """
    try:
        number = float(text.strip().replace(",", "."))
    except ValueError:
        number = -1
    if not 0 <= number <= 1:
        raise Invalid(f"Confidence is a number from 0 to 1, not {text[:40]!r}.")
    return number


APPLY: Mapping[str, Apply] = {
    "edit": _edit,
}
