"""Other thresholds, and what they would have decided: the form as it was typed, checked. Needs a tenant's scope."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from dashboard.difference import around, pieces
from memory import conf, limits
from memory.distillation.preview import Change, preview
from memory.distillation.update import Thresholds
from memory.errors import Invalid
from memory.vocabulary import Action

FIELDS = {
    "new_below": "ARES_NEW_BELOW",
    "conflict_above": "ARES_CONFLICT_ABOVE",
    "redundant_above": "ARES_REDUNDANT_ABOVE",
}
MOST_SHOWN = 50


@dataclass(frozen=True, slots=True)
class Field:
    """A threshold: its setting, the value in force, what was typed, and what is wrong with that."""

    name: str
    setting: conf.Setting
    value: float
    typed: str
    error: str


def context(asked: Mapping[str, str]) -> dict[str, Any]:
    """What `settings/thresholds.html` shows; without a query, what the values in force decide."""
    fields = [_field(name, asked.get(name, "")) for name in FIELDS]
    told: dict[str, Any] = {"fields": fields, "is_asked": any(name in asked for name in FIELDS)}
    if any(field.error for field in fields):
        return told
    precise = bool(limits.fraction("ARES_PRECISION_OVER_RECALL"))
    now = Thresholds(**{field.name: field.value for field in fields}, precision_over_recall=precise)
    then = Thresholds(**{field.name: float(field.typed) for field in fields}, precision_over_recall=precise)
    made = preview(now, then)
    return told | {
        "preview": made,
        "actions": [(action, made.before[action], made.after[action]) for action in Action],
        "changes": [_change(change) for change in made.changes[:MOST_SHOWN]],
        "more": max(len(made.changes) - MOST_SHOWN, 0),
        "differs": now != then,
        "query": urlencode({field.name: field.typed for field in fields}),
    }


def _field(name: str, typed: str) -> Field:
    setting = conf.SETTINGS[FIELDS[name]]
    value = limits.fraction(setting.name)
    typed = typed.strip() or f"{value:g}"
    try:
        setting.parse(typed)
    except Invalid as error:
        return Field(name, setting, value, typed, error.detail)
    return Field(name, setting, value, typed, "")


def _change(change: Change) -> dict[str, Any]:
    return {
        "change": change,
        "near": round(change.similarity * 100),
        "pieces": around(pieces(change.decision.neighbour_text, change.text)),
    }
