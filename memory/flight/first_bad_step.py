"""The first bad step of a run that is recorded. Needs a tenant's scope."""

from dataclasses import dataclass

from memory.events import history
from memory.flight.hints.data import Hint
from memory.flight.hints.watch import watch
from memory.flight.suspects import Suspect, suspects
from memory.flight.trace import Step, step_of
from memory.models import Stream
from memory.vocabulary import Outcome

# Somebody waits for the answer. Errors are made early: of a longer run, so many of its first events are judged.
MOST_READ = 2000


@dataclass(frozen=True, slots=True)
class Judgement:
    """At most three suspects, the likeliest first, after reading the run up to event `read_to`."""

    suspects: list[Suspect]
    read_to: int


def judge(stream: Stream, off: frozenset[str] = frozenset()) -> Judgement:
    """Which steps most likely decided how a run went, without the rules that are `off`.

    Erased events tell nothing and are passed over, as is what retention has dropped.
    """
    gone = history.dropped(stream)
    read_to = min(stream.version, (gone.first_version - 1 if gone else 0) + MOST_READ)
    watching = watch(None, off)
    steps: list[Step] = []
    hints: list[Hint] = []
    for event in history.walk(stream, gone.first_version if gone else 1, read_to):
        if not event.is_erased:
            steps.append(step_of(event))
            hints += watching.add(steps[-1])
    return Judgement(suspects(steps, hints, Outcome(stream.outcome)), read_to)
