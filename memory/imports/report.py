"""What an import did, counted while it runs."""

from collections import Counter
from dataclasses import dataclass, field

from memory.events.chained import Chained
from memory.imports.recorder import Recorded, Result
from memory.imports.run import Recording, Run, Skipped


@dataclass(slots=True)
class Report:
    """Files and runs read, what became of them, and what was left out and why."""

    files: Counter[str] = field(default_factory=Counter)
    results: Counter[Result] = field(default_factory=Counter)
    units: Counter[str] = field(default_factory=Counter)
    events: Counter[str] = field(default_factory=Counter)
    new_events: int = 0
    skipped: list[Skipped] = field(default_factory=list)

    def add(self, run: Run | Recording, recorded: Recorded) -> None:
        """Count a run and what became of it. `units` are the origin's own: messages, steps, lines."""
        self.results[recorded.result] += 1
        self.units.update(run.counts)
        told = [event.draft if isinstance(event, Chained) else event for event in run.events]
        self.events.update(str(event.type) for event in told)
        self.events["errors"] += sum(bool(event.payload.get("error")) for event in told)
        self.new_events += recorded.new_events

    @property
    def runs(self) -> int:
        """How many runs were read."""
        return self.results.total()
