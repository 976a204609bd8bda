"""Drafts: a run distilled by other rules, beside what is known of it. Needs a tenant's scope."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from dashboard import experiences, settings_page
from dashboard.difference import Piece, around, pieces
from memory import conf
from memory.distillation import redistil
from memory.distillation.pipeline import LLM_MODEL
from memory.models import Distillation, Experience
from memory.vocabulary import WorkStatus


@dataclass(frozen=True, slots=True)
class Changed:
    """An experience that a draft would change, and word by word how."""

    experience: Experience
    url: str
    changes: list[Piece]


@dataclass(frozen=True, slots=True)
class Shown:
    """What accepting a draft would add, take away and change."""

    added: list[experiences.Shown]
    gone: list[experiences.Shown]
    changed: list[Changed]


def is_ready(distillation: Distillation) -> bool:
    """Whether it can be accepted or dropped."""
    return distillation.draft and distillation.status in (WorkStatus.COMPLETED, WorkStatus.FAILED)


def difference(distillation: Distillation) -> Shown:
    """What accepting a draft would do."""
    told = redistil.difference(distillation)
    changed = [Changed(now, experiences.url(now.pk), around(pieces(now.text, then.text))) for now, then in told.changed]
    return Shown(experiences.shown(told.added), experiences.shown(told.gone), changed)


def fields(typed: Mapping[str, str] | None = None) -> list[Mapping[str, Any]]:
    """The settings that can be tried, and the language model where there is one, with what holds now and what was
    typed."""
    given = typed or {}
    found: list[Mapping[str, Any]] = [
        {"setting": row.setting, "now": row.value, "typed": given.get(row.setting.name, ""), "is_number": True}
        for row in settings_page.rows()
        if row.setting.name in redistil.TRIED
    ]
    if conf.text("ARES_LLM_URL"):
        told = {"name": LLM_MODEL, "meaning": "Language model that is asked."}
        found.append({"setting": told, "now": conf.text(LLM_MODEL), "typed": given.get(LLM_MODEL, "")})
    return found


def rules(typed: Mapping[str, str]) -> dict[str, str]:
    """The settings that were typed; what was left empty stays the tenant's."""
    names = sorted(redistil.TRIED | {LLM_MODEL})
    return {name: typed[name].strip() for name in names if typed.get(name, "").strip()}
