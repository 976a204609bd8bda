"""The map of the pages: what the bar, the row under it, the menu of a phone and the list of keys show. Pure."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from memory.permissions import Permission


@dataclass(frozen=True, slots=True)
class Entry:
    """A page that can be gone to: the name of its address, its word, the key after `g`, what else belongs to it, and
    what the viewer must be permitted."""

    name: str
    label: str
    key: str = ""
    holds: frozenset[str] = frozenset()
    needs: Permission = Permission.SEE


@dataclass(frozen=True, slots=True)
class Group:
    """Pages of one matter. The group's own link leads to the first of them."""

    label: str
    entries: tuple[Entry, ...]


# One that is added here is everywhere. A key stands for one page.
GROUPS = (
    Group("Overview", (Entry("overview", "Overview", "o"),)),
    Group(
        "Runs",
        (
            Entry("runs", "Runs", "r", frozenset({"run", "run_archive", "run_crash", "run_compare"})),
            Entry("agents", "Agents", "a"),
            Entry("integrity", "Integrity", "i"),
        ),
    ),
    Group(
        "Memory",
        (
            Entry("memory", "Layers", "m"),
            Entry("memory_sessions", "Sessions"),
            Entry("memory_tasks", "Tasks"),
            Entry("experiences", "Experiences", "e", frozenset({"experience", "experience_change"})),
            Entry("map", "Map", "p"),
            Entry("users", "Users", "u"),
            Entry("quarantine", "Quarantine", "q"),
            Entry(
                "distillations", "Distillations", "d", frozenset({"distillation", "distillation_change", "run_drafts"})
            ),
            Entry("decisions", "Decisions"),
            Entry("search", "Search", "s"),
            Entry("knowledge", "Knowledge", "k", frozenset({"document"})),
            Entry("tools", "Tools", "t", frozenset({"tool"})),
        ),
    ),
    Group(
        "Savings",
        (Entry("savings", "Savings", "v", frozenset({"savings_events"})), Entry("benchmarks", "Benchmarks", "b")),
    ),
    Group(
        "Operations",
        (Entry("operations", "Operations", "w", frozenset({"operations_retry"}), needs=Permission.OPERATE),),
    ),
    Group(
        "Settings",
        (
            Entry("settings", "Settings", ","),
            Entry("thresholds", "Thresholds"),
            Entry("retention", "Retention", needs=Permission.SETTINGS),
            Entry("people", "People", "z", frozenset({"invite"})),
            Entry("keys", "Keys", holds=frozenset({"key_new", "key_change"}), needs=Permission.KEYS),
            Entry("limits", "Limits", needs=Permission.LIMITS),
            Entry("audit", "Audit log", needs=Permission.AUDIT),
            Entry("erasure", "Erasure", needs=Permission.ERASE),
            Entry("permissions", "Permissions"),
            Entry("tenants", "Tenants", holds=frozenset({"tenant"}), needs=Permission.TENANTS),
        ),
    ),
)


@dataclass(frozen=True, slots=True)
class Link:
    """An entry as one page shows it: `current` is what `aria-current` says of it, empty where it is another page."""

    name: str
    label: str
    key: str
    current: str


@dataclass(frozen=True, slots=True)
class Links:
    """A group as one page shows it."""

    label: str
    current: str
    links: tuple[Link, ...]

    @property
    def first(self) -> Link:
        """Where the group's own link leads."""
        return self.links[0]


def links(at: str, permitted: Collection[Permission]) -> tuple[Links, ...]:
    """The map as the page whose address has this name shows it to somebody who may do this."""
    open_to = ((group, [entry for entry in group.entries if entry.needs in permitted]) for group in GROUPS)
    return tuple(_group(group.label, entries, at) for group, entries in open_to if entries)


def _group(label: str, entries: Sequence[Entry], at: str) -> Links:
    shown = tuple(Link(entry.name, entry.label, entry.key, _current(entry, at)) for entry in entries)
    here = [link.current for link in shown if link.current]
    # The group's link is that of its first page.
    current = "" if not here else shown[0].current or "true"
    return Links(label, current, shown)


def _current(entry: Entry, at: str) -> str:
    if entry.name == at:
        return "page"
    return "true" if at in entry.holds else ""
