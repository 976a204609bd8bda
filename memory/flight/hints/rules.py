"""The one table of rules: what each finds, how much it matters, and what would silence it."""

from dataclasses import dataclass

from memory.vocabulary import HintRule, Severity


@dataclass(frozen=True, slots=True)
class Rule:
    """One rule, described for whoever reads its hints."""

    name: HintRule
    severity: Severity
    finds: str
    silenced_by: str


RULES: dict[HintRule, Rule] = {}
