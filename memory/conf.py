"""The settings of the domain: each with a name, a type, a default, a meaning and a check.

This is the only place that reads them. `aresweb.settings` fills `ARES` from the environment through `load`; the
domain asks `value("ARES_…")`.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from memory.errors import Invalid
from memory.vocabulary import HintRule

Value = int | float | str


@dataclass(frozen=True, slots=True)
class Setting:
    """One setting: a whole number, or a fraction where its default is one; with `choices`, some of these names, as one
    text with commas between. `minimum` and `maximum` are inclusive.

    One that is `per_tenant` can be set for a tenant alone (`memory.limits`): by its admins, or, where it is a
    `ceiling`, by the installation's.
    """

    name: str
    default: Value
    meaning: str
    minimum: int = 0
    maximum: int = 2**31 - 1
    per_tenant: bool = False
    choices: tuple[str, ...] = ()
    ceiling: bool = False

    def parse(self, text: str) -> Value:
        """The value that a text from the environment stands for; names are brought into the order of the choices.

        Raises:
            Invalid: the text is not a number of the setting's type within the bounds, or names what is no choice.
        """
        return self._names(text) if self.choices else self._number(text)

    def _names(self, text: str) -> str:
        given = set(text.replace(",", " ").split())
        unknown = ", ".join(sorted(given.difference(self.choices)))
        if unknown:
            raise Invalid(
                f"{self.name} names what there is not: {unknown[:200]}. There are: {', '.join(self.choices)}."
            )
        return ", ".join(name for name in self.choices if name in given)

    def _number(self, text: str) -> int | float:
        of_type = float if isinstance(self.default, float) else int
        try:
            number = of_type(text)
        except ValueError:
            kind = "a whole number" if of_type is int else "a number"
            raise Invalid(f"{self.name} must be {kind}, not {text!r}.") from None
        if not self.minimum <= number <= self.maximum:
            raise Invalid(f"{self.name} must lie between {self.minimum} and {self.maximum}, not {number}.")
        return number


SETTINGS = {
    setting.name: setting
    for setting in (
        Setting(
            "ARES_MAX_BODY_BYTES",
            16 * 2**20,
            "Largest request body, in bytes.",
            2**10,
            2**30,
            per_tenant=True,
            ceiling=True,
        ),
        Setting(
            "ARES_MAX_PAYLOAD_BYTES", 4 * 2**20, "Largest payload or metadata of one event, in bytes.", 2**10, 2**28
        ),
        Setting("ARES_MAX_BATCH", 1000, "Most events or messages in one request.", 1, 10_000),
        Setting("ARES_MAX_JSON_DEPTH", 100, "Deepest nesting of arrays and objects in JSON.", 4, 400),
        Setting(
            "ARES_SESSION_TTL_HOURS",
            24,
            "A session expires this long after its last message, in hours.",
            1,
            per_tenant=True,
        ),
        Setting("ARES_IDEMPOTENCY_HOURS", 24, "How long the answer to an Idempotency-Key is kept, in hours.", 1),
        Setting("ARES_SNAPSHOT_EVERY", 500, "Events between two snapshots of a stream's state.", 10, 100_000),
        Setting("ARES_HOT_EVENTS", 2000, "Newest events of a stream that are never archived.", 1, 10_000_000),
        Setting("ARES_SEGMENT_EVENTS", 500, "Events that are archived together in one segment.", 10, 10_000),
        Setting("ARES_VERIFY_HOURS", 24, "The worker verifies a stream again after so many hours.", 1, 10_000),
        Setting("ARES_VERIFY_SECONDS", 60, "How long the worker verifies streams, each hour, in seconds.", 1, 300),
        Setting("ARES_VERIFY_AT_ONCE", 20_000, "Events up to which Verify now answers at once.", 0, 1_000_000),
        Setting(
            "ARES_STALL_SECONDS",
            300,
            "Without work for so long, an agent with an open task has stalled, in seconds.",
            1,
        ),
        Setting(
            "ARES_CRASH_SECONDS",
            900,
            "Without any sign of life for so long, an agent with an open task has crashed, in seconds.",
            1,
        ),
        Setting("ARES_RECOVERY_SECONDS", 5, "Longest time for each part of an agent's recovery, in seconds.", 1, 60),
        Setting("ARES_FLAPPING_RESTARTS", 10, "So many recoveries in ARES_FLAPPING_SECONDS are a warning.", 2, 1000),
        Setting("ARES_FLAPPING_SECONDS", 600, "The time in which an agent's recoveries are counted, in seconds.", 1),
        Setting("ARES_CONTEXT_TOKENS", 4000, "Tokens that a context takes at most.", 1, 2_000_000, per_tenant=True),
        Setting("ARES_CONTEXT_EXPERIENCES", 5, "Experiences in a context at most.", 0, 100, per_tenant=True),
        Setting("ARES_MAX_HISTORY", 10, "Newest messages of a session in its window.", 1, 1000, per_tenant=True),
        Setting(
            "ARES_MAX_SESSIONS",
            100,
            "Most live sessions of a tenant; the least recently used expire.",
            1,
            per_tenant=True,
        ),
        Setting(
            "ARES_TASK_TTL_DAYS", 7, "A task is forgotten this long after its last change, in days.", 1, per_tenant=True
        ),
        Setting(
            "ARES_MAX_TASKS",
            1000,
            "Most tasks of a tenant; the least recently changed are forgotten.",
            1,
            per_tenant=True,
        ),
        Setting(
            "ARES_MAX_EXPERIENCES",
            5000,
            "Most experiences of a tenant; the least useful are evicted.",
            1,
            per_tenant=True,
        ),
        Setting(
            "ARES_AUTO_DISTIL",
            1,
            "1: tasks are distilled when they end, and sessions when they expire. 0: when asked.",
            0,
            1,
            per_tenant=True,
        ),
        Setting(
            "ARES_FULL_FROM_CHARACTERS",
            200,
            "Input and output of a task from which it goes through the whole refinery, in characters.",
            0,
            per_tenant=True,
        ),
        Setting(
            "ARES_FULL_FROM_VALUE",
            0.6,
            "Value of a task from which it goes through the whole refinery, however short it is.",
            0,
            1,
            per_tenant=True,
        ),
        Setting(
            "ARES_NEW_BELOW",
            0.7,
            "Calibrated similarity below which a candidate is a new experience.",
            0,
            1,
            per_tenant=True,
        ),
        Setting(
            "ARES_CONFLICT_ABOVE",
            0.85,
            "Calibrated similarity from which another value of the same subject is a contradiction.",
            0,
            1,
            per_tenant=True,
        ),
        Setting(
            "ARES_REDUNDANT_ABOVE",
            0.95,
            "Calibrated similarity above which a candidate is redundant unless it adds a fact.",
            0,
            1,
            per_tenant=True,
        ),
        Setting(
            "ARES_PRECISION_OVER_RECALL",
            0,
            "1: what is uncertain is rather dropped than kept.",
            0,
            1,
            per_tenant=True,
        ),
        Setting(
            "ARES_CLUSTER_SIZE", 3, "Fewest related experiences that become one abstraction.", 2, 100, per_tenant=True
        ),
        Setting(
            "ARES_CLUSTER_SIMILARITY",
            0.8,
            "Calibrated similarity from which experiences are related.",
            0,
            1,
            per_tenant=True,
        ),
        Setting(
            "ARES_HINTS_OFF",
            "",
            "Rules that give no hints, by name, with commas between.",
            per_tenant=True,
            choices=tuple(HintRule),
        ),
        Setting("ARES_EMBEDDING_BATCH", 64, "Texts in one request for embeddings.", 1, 2048),
        Setting("ARES_EMBEDDING_CONCURRENCY", 2, "Requests for embeddings at a time, in one process.", 1, 64),
        Setting("ARES_SERVICE_SECONDS", 30, "Longest time for one request to a service, in seconds.", 1, 600),
        Setting(
            "ARES_QUERY_SECONDS",
            3,
            "Longest time for each service that a search asks, in seconds; then it goes on without.",
            1,
            60,
        ),
        Setting("ARES_QUEUE_ATTEMPTS", 8, "Tries before work in the queue becomes a dead letter.", 1, 100),
        Setting(
            "ARES_QUEUE_LEASE_SECONDS", 300, "A worker's claim on work in the queue ends after so long.", 5, 86_400
        ),
        Setting(
            "ARES_REQUESTS_A_MINUTE",
            60_000,
            "Most requests of a tenant in a minute. 0: no limit.",
            per_tenant=True,
            ceiling=True,
        ),
        Setting(
            "ARES_EVENTS_A_MINUTE",
            3_000_000,
            "Most events that a tenant may record in a minute. 0: no limit.",
            per_tenant=True,
            ceiling=True,
        ),
        Setting(
            "ARES_MAX_STORAGE_MB",
            0,
            "Most that a tenant may have stored, in MiB. 0: no limit.",
            per_tenant=True,
            ceiling=True,
        ),
        Setting(
            "ARES_REQUESTS_AT_ONCE",
            4,
            "Requests of a tenant that a web process answers at a time; four times as many wait, others are refused.",
            1,
            32,
        ),
        Setting(
            "ARES_AUDIT_DAYS", 0, "How long the audit log is kept, in days. 0: for ever.", 0, 36_500, per_tenant=True
        ),
        Setting(
            "ARES_SESSION_DAYS",
            0,
            "A session that expired is deleted after so long, with what was learned from it alone. 0: never.",
            0,
            36_500,
            per_tenant=True,
        ),
        Setting(
            "ARES_EXPERIENCE_DAYS",
            0,
            "An experience is deleted when it was not used for so long, unless it is pinned. 0: never.",
            0,
            36_500,
            per_tenant=True,
        ),
        Setting("ARES_LOGIN_HOURS", 168, "A person's log-in ends after so many hours.", 1, 8760),
        Setting("ARES_INVITATION_DAYS", 7, "An invitation can be accepted for so many days.", 1, 90),
        Setting("ARES_LIVE_CONNECTIONS", 20, "Most pages followed live at once in one web process.", 0, 1000),
    )
}


def load(environment: Mapping[str, str]) -> dict[str, Value]:
    """Every setting's effective value: from the environment where it is set there, else the default.

    Raises:
        Invalid: a value is not of the setting's type, out of its bounds or none of its choices.
    """
    return {
        name: setting.parse(environment[name]) if environment.get(name) else setting.default
        for name, setting in SETTINGS.items()
    }


def effective(name: str) -> Value:
    """The effective value of any setting, of whatever type it is."""
    found: Value = _values()[name]
    return found


def value(name: str) -> int:
    """The effective value of a setting that is a whole number; a KeyError is a typing error in the code."""
    return int(_values()[name])


def fraction(name: str) -> float:
    """The effective value of a setting that is a fraction."""
    return float(_values()[name])


def split(text: str) -> frozenset[str]:
    """The names in a text with commas between."""
    return frozenset(text.replace(",", " ").split())


def origin(name: str) -> str:
    """Where a setting's value, or that of a variable of the installation, comes from: `environment`, `file` or
    `default`."""
    from django.conf import settings

    origins: dict[str, str] = settings.ARES_ORIGINS
    return origins.get(name, "default")


def installation() -> list[dict[str, str]]:
    """The variables of the installation: `name`, `value`, `default` and `meaning` of each; no secret is among them."""
    from django.conf import settings

    told: list[dict[str, str]] = settings.ARES_INSTALLATION
    return told


def text(name: str) -> str:
    """The effective value of a variable of the installation that the domain uses: address, model or key of a
    service."""
    from django.conf import settings

    services: dict[str, str] = settings.ARES_SERVICES
    return services[name]


def _values() -> dict[str, Any]:
    from django.conf import settings

    values: dict[str, Any] = settings.ARES
    return values
