"""The map of the pages: what the bar, the row under it, the menu of a phone and the list of keys show. Pure."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Entry:
    """A page that can be gone to: the name of its address, its word, the key after `g`, and what else belongs to it."""

    name: str
    label: str
    key: str = ""
    holds: frozenset[str] = frozenset()


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
            Entry("runs", "Runs", "r", frozenset({"run", "run_crash"})),
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
    Group("Savings", (Entry("savings", "Savings", "v", frozenset({"savings_events"})),)),
    Group("Operations", (Entry("operations", "Operations", "p"),)),
    Group("Settings", (Entry("settings", "Settings", ","),)),
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


def links(at: str) -> tuple[Links, ...]:
    """The map as the page whose address has this name shows it."""
    return tuple(_group(group, at) for group in GROUPS)


def _group(group: Group, at: str) -> Links:
    shown = tuple(Link(entry.name, entry.label, entry.key, _current(entry, at)) for entry in group.entries)
    here = [link.current for link in shown if link.current]
    # The group's link is that of its first page.
    current = "" if not here else shown[0].current or "true"
    return Links(group.label, current, shown)


def _current(entry: Entry, at: str) -> str:
    if entry.name == at:
        return "page"
    return "true" if at in entry.holds else ""
