"""The picture of a distillation: messages on top, candidates in the middle, experiences below, and what leads where.

Coordinates in a picture WIDTH wide and HEIGHT high. Pure.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

WIDTH, HEIGHT = 1000.0, 132.0
# The lanes: where the middle of each lies, and how high its marks are.
MESSAGES, CANDIDATES, EXPERIENCES = 6.0, 66.0, 126.0
MARK_HEIGHT = 12.0
# Short runs are short: a mark has a fixed greatest width.
WIDEST_MARK = 18.0
GAP = 0.25
# More threads than these are a texture, not a picture.
MOST_THREADS = 1500
STUB = 18.0


@dataclass(frozen=True, slots=True)
class Traced:
    """A decision as the picture needs it: its number, the message versions it came from, the experience it made."""

    number: int
    versions: tuple[int, ...]
    experience: str


@dataclass(frozen=True, slots=True)
class Mark:
    """A mark of a lane; `number` is that of the decision it leads to, 0 for none."""

    x: float
    y: float
    width: float
    is_kept: bool
    number: int = 0


@dataclass(frozen=True, slots=True)
class Picture:
    """Marks of the lanes, and paths: `kept` lead on to an experience, `dropped` end at their candidate."""

    messages: list[Mark] = field(default_factory=list)
    candidates: list[Mark] = field(default_factory=list)
    experiences: list[Mark] = field(default_factory=list)
    kept: str = ""
    dropped: str = ""
    width: float = WIDTH
    height: float = HEIGHT
    mark_height: float = MARK_HEIGHT


def picture(versions: Sequence[int], decisions: Sequence[Traced]) -> Picture:
    """The picture of what became of the messages with these versions, in order; each decision has its place in the
    order of its first message."""
    place = {version: index for index, version in enumerate(versions)}
    ordered = sorted(decisions, key=lambda decision: (min(decision.versions, default=0), decision.number))
    made = list(dict.fromkeys(decision.experience for decision in ordered if decision.experience))
    top, middle, bottom = _Lane(MESSAGES, len(versions)), _Lane(CANDIDATES, len(ordered)), _Lane(EXPERIENCES, len(made))
    used = {version for decision in ordered if decision.experience for version in decision.versions}
    paths: dict[bool, list[str]] = {True: [], False: []}
    for index, decision in enumerate(ordered):
        is_kept = bool(decision.experience)
        sources = [place[version] for version in decision.versions if version in place]
        paths[is_kept] += [_thread(top, source, middle, index) for source in sources]
        if is_kept:
            paths[True].append(_thread(middle, index, bottom, made.index(decision.experience)))
    return Picture(
        messages=[top.mark(index, version in used) for index, version in enumerate(versions)],
        candidates=[middle.mark(index, bool(one.experience), one.number) for index, one in enumerate(ordered)],
        experiences=[bottom.mark(index, True) for index in range(len(made))],
        kept="".join(paths[True][:MOST_THREADS]),
        dropped="".join(paths[False][:MOST_THREADS]),
    )


@dataclass(frozen=True, slots=True)
class _Lane:
    """A lane of so many equal places from the left edge on."""

    y: float
    count: int

    @property
    def pitch(self) -> float:
        return min(WIDEST_MARK, WIDTH / max(1, self.count))

    def middle(self, index: int) -> float:
        return (index + 0.5) * self.pitch

    def mark(self, index: int, is_kept: bool, number: int = 0) -> Mark:
        width = self.pitch * (1 - GAP)
        x = round(index * self.pitch + self.pitch * GAP / 2, 2)
        return Mark(x, self.y - MARK_HEIGHT / 2, round(width, 2), is_kept, number)


def _thread(above: _Lane, start: int, below: _Lane, end: int) -> str:
    """A path that leaves a mark downwards and comes to another one from above."""
    x, y = above.middle(start), above.y + MARK_HEIGHT / 2
    to_x, to_y = below.middle(end), below.y - MARK_HEIGHT / 2
    return f"M{x:.1f} {y:.1f}C{x:.1f} {y + STUB:.1f} {to_x:.1f} {to_y - STUB:.1f} {to_x:.1f} {to_y:.1f}"
