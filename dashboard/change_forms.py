"""Forms of changes, and the verbs of the domain that they call. Needs a tenant's scope."""

from collections.abc import Callable, Mapping
from functools import partial

from dashboard import changes
from memory.errors import Conflict, Invalid
from memory.layers import distilled, reshaping
from memory.models import Experience

Form = Mapping[str, str]
# What an operator may type in the form of an edit. A number that is shown rounded stays as it is if it is left alone.
TEXTS = ("problem", "solution", "kind", "subject", "value")
SHOWN_DIGITS = 2


def apply(name: str, experience: Experience, form: Form, actor: str) -> None:
    """Do what the verb of this name says; `actor` is who does it, as revisions name it.

    Raises:
        Invalid, NotFound: what was typed cannot be done.
        Conflict: the experience has changed meanwhile, or it is in no state for that.
    """
    verb = changes.VERBS[name]
    if not changes.is_offered(verb, experience):
        raise Conflict(f"{verb.label}: that cannot be done with this experience as it is now.")
    if name in FORMS:
        FORMS[name](experience, form, actor)
    elif name in AT_ONCE:
        AT_ONCE[name](experience.pk, actor)
    else:
        distilled.delete(experience.pk, actor)


def shown_confidence(confidence: float) -> str:
    """A confidence as a field shows it."""
    return f"{confidence:.{SHOWN_DIGITS}f}"


def _edit(experience: Experience, form: Form, actor: str) -> None:
    now = distilled.lock(experience.pk)
    if form.get("revision") != str(now.revision):
        raise Conflict("Somebody has changed it since you opened this page.")
    given = {name: _lines(form[name]) for name in TEXTS if name in form}
    wanted: dict[str, object] = {name: text for name, text in given.items() if text != getattr(now, name)}
    typed = form.get("confidence", "").strip()
    if typed != shown_confidence(now.confidence):
        wanted["confidence"] = _fraction(typed)
    distilled.edit(experience.pk, wanted, actor, _reason(form))


def _merge(experience: Experience, form: Form, actor: str) -> None:
    reshaping.merge(experience.pk, form.get("with", ""), actor, _reason(form))


def _split(experience: Experience, form: Form, actor: str) -> None:
    parts = [{name: _lines(form.get(f"{name}-{part}", "")) for name in ("problem", "solution")} for part in (1, 2)]
    for number, part in enumerate(parts, start=1):
        if not part["solution"]:
            raise Invalid(f"Part {number} says nothing.")
    reshaping.split(experience.pk, parts, actor, _reason(form))


def _fraction(text: str) -> float:
    try:
        return float(text.replace(",", "."))
    except ValueError:
        raise Invalid(f"Confidence is a number from 0 to 1, not {text[:40]!r}.") from None


def _lines(text: str) -> str:
    """What was typed, with the line ends of everything else: browsers send others."""
    return text.replace("\r\n", "\n").strip()


def _reason(form: Form) -> str:
    return form.get("reason", "").strip()


FORMS: Mapping[str, Callable[[Experience, Form, str], object]] = {"edit": _edit, "merge": _merge, "split": _split}
# What needs nothing but the button.
AT_ONCE: Mapping[str, Callable[[str, str], object]] = {
    "pin": distilled.pin,
    "unpin": partial(distilled.pin, pinned=False),
    "archive": distilled.archive,
    "restore": distilled.restore,
    "release": distilled.release,
    "helpful": lambda experience_id, actor: distilled.feedback(experience_id, "helpful", actor),
    "harmful": lambda experience_id, actor: distilled.feedback(experience_id, "harmful", actor),
    "undo": reshaping.undo,
}
