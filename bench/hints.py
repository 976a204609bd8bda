"""Hints and suspects on runs whose outcome or decisive step is known, and what one more event costs."""

import hashlib
import json
import re
import statistics
from collections import Counter
from collections.abc import Callable, Iterator
from math import comb
from pathlib import Path
from time import perf_counter, process_time
from typing import Any

from bench import datasets, sample_runs, samples
from bench.report import publish
from bench.sample_runs import SampleRun
from bench.server import Installation
from bench.weights import annotated, fit, judge
from memory.flight.hints.data import Hint
from memory.flight.hints.watch import watch
from memory.flight.suspects import MOST, WEIGHTS, suspects
from memory.flight.trace import Step
from memory.flight.turns import Sign, name_of
from memory.vocabulary import HintRule, Outcome

PARTS = {"hand-crafted": "Hand-Crafted", "generated": "Algorithm-Generated"}
TROUBLE = re.compile(r"error|exception|fail|unable|not found|cannot|invalid", re.IGNORECASE)
SHORT, LONG = 1_000, 100_000


def run(place: Installation) -> None:
    """All that can be measured without the sample data is; the rest where it is."""
    data = datasets.folder()
    if data:
        _suspects(data)
        _outcomes(data)
        _found(data)
    _speed()


def watched(steps: list[Step], off: frozenset[str] = frozenset()) -> list[Hint]:
    """The hints of a run."""
    watching = watch(None, off)
    return [hint for step in steps for hint in watching.add(step)]


def _suspects(data: Path) -> None:
    """The decisive step among three, and the responsible agent first, against simple methods; then without each part."""
    runs = {part: list(sample_runs.who_and_when(data, folder)) for part, folder in PARTS.items()}
    rows = []
    for part, told in runs.items():
        rows.append((part, len(told), "random", _random(told), None))
        for name, method in _SIMPLE.items():
            rows.append((part, len(told), name, _share(told, method), None))
        rows.append((part, len(told), "suspects", *_judged(told)))
    rows += _across(runs)
    publish(
        "hints_suspects",
        "Decisive step among three suspects, responsible agent first",
        ("part", "runs", "method", "decisive step", "agent first"),
        [(*row[:4], "" if row[4] is None else row[4]) for row in rows],
    )
    _contributions(runs)


def _judged(told: list[SampleRun], off: frozenset[str] = frozenset()) -> tuple[float, float]:
    among = first = 0
    for each in told:
        found = suspects(each.steps, watched(each.steps, off), Outcome.UNKNOWN)
        among += each.decisive in [suspect.version for suspect in found]
        first += bool(found) and found[0].speaker.lower() == name_of(each.responsible).lower()
    return among / len(told), first / len(told)


def _random(told: list[SampleRun]) -> float:
    return statistics.fmean(min(1.0, 1 - comb(len(r.steps) - 1, MOST) / comb(len(r.steps), MOST)) for r in told)


def _share(told: list[SampleRun], method: Callable[[list[Step]], list[int]]) -> float:
    return statistics.fmean(each.decisive in method(each.steps)[:MOST] for each in told)


def _around_trouble(steps: list[Step]) -> list[int]:
    first = next((step.version for step in steps[1:] if TROUBLE.search(step.text)), 2)
    return [first - 1, first, first + 1]


_SIMPLE: dict[str, Callable[[list[Step]], list[int]]] = {
    "first three": lambda steps: [step.version for step in steps[:3]],
    "after the first": lambda steps: [step.version for step in steps[1:4]],
    "around the first trouble": _around_trouble,
}


def _across(runs: dict[str, list[SampleRun]]) -> Iterator[tuple[Any, ...]]:
    """The signs alone, weighed by one half of the runs and judged by the other: by the hash of the file's name."""
    halves: tuple[list[SampleRun], list[SampleRun]] = ([], [])
    for each in (each for told in runs.values() for each in told):
        halves[hashlib.sha256(each.name.encode()).digest()[-1] % 2].append(each)
    for tuned, judged in (halves, halves[::-1]):
        weights = fit([annotated(each) for each in tuned])
        for part, told in runs.items():
            there = [annotated(each) for each in told if each in judged]
            yield part, len(there), "signs, weighed by the other half", *judge(there, weights)


def _contributions(runs: dict[str, list[SampleRun]]) -> None:
    """What each rule of the hints, and each sign of the turns, adds: the measure without it, less the measure with it."""
    whole = {part: _judged(told) for part, told in runs.items()}
    fired = Counter(str(hint.rule) for told in runs.values() for each in told for hint in watched(each.steps))
    rows: list[tuple[Any, ...]] = []
    for rule in (rule for rule in HintRule if fired[rule]):
        less = {part: _judged(told, frozenset({rule})) for part, told in runs.items()}
        rows.append((f"rule {rule}", *_differences(whole, less)))
    numbers = {part: [annotated(each) for each in told] for part, told in runs.items()}
    everything = [each for told in numbers.values() for each in told]
    full = {part: judge(told, fit(everything)) for part, told in numbers.items()}
    for sign in Sign:
        weights = fit(everything, without=sign)
        rows.append(
            (f"sign {sign}", *_differences(full, {part: judge(told, weights) for part, told in numbers.items()}))
        )
    columns = [f"{part}, {what}" for part in runs for what in ("step", "agent")]
    publish("hints_contributions", "What is lost without each rule and sign", ("without", *columns), rows)
    fitted = fit(everything)
    publish(
        "hints_weights",
        "The weights of the signs",
        ("sign", "fitted to all runs", "used"),
        [(str(sign), fitted[sign], WEIGHTS[sign]) for sign in Sign],
    )


def _differences(whole: dict[str, tuple[float, float]], less: dict[str, tuple[float, float]]) -> list[float]:
    return [less[part][place] - whole[part][place] for part in whole for place in (0, 1)]


def _outcomes(data: Path) -> None:
    """Whether a hint means that the run failed."""
    told = [(each, watched(each.steps)) for each in sample_runs.tau_bench(data)]
    failed, solved = ([hints for each, hints in told if each.failed is wanted] for wanted in (True, False))
    rows = [_precision("any rule", failed, solved)]
    rows += [_precision(str(rule), _of(rule, failed), _of(rule, solved)) for rule in HintRule]
    publish(
        "hints_outcomes",
        f"Hints on {len(failed)} failed and {len(solved)} solved runs of tau-bench airline",
        ("rule", "failed runs hinted", "solved runs hinted", "precision", "false alarms per solved run"),
        [row for row in rows if row[1] or row[2] or row[0] == "any rule"],
    )


def _of(rule: HintRule, told: list[list[Hint]]) -> list[list[Hint]]:
    return [[hint for hint in hints if hint.rule is rule] for hints in told]


def _precision(name: str, failed: list[list[Hint]], solved: list[list[Hint]]) -> tuple[Any, ...]:
    right, wrong = sum(map(bool, failed)), sum(map(bool, solved))
    precision: float | str = right / (right + wrong) if right + wrong else ""
    return name, right, wrong, precision, sum(map(len, solved)) / len(solved)


def _found(data: Path) -> None:
    """The hints of each run of the other sets, to be looked at."""
    sets = (sample_runs.mast, sample_runs.bioagent, sample_runs.swe_agent, sample_runs.openhands, sample_runs.toolbench)
    rows = []
    for read in sets:
        for each in read(data):
            found = Counter(str(hint.rule) for hint in watched(each.steps))
            told = ", ".join(f"{rule} {count}" for rule, count in sorted(found.items()))
            outcome = {True: "failed", False: "went well", None: ""}[each.failed]
            rows.append((read.__name__, each.name[:36], len(each.steps), outcome, told or "none"))
    publish("hints_found", "Hints per run", ("set", "run", "events", "outcome", "hints"), rows)


def _speed() -> None:
    """Events a second of one core, and what one more event costs at the end of a short and of a long run."""
    spans: list[float] = []
    watching = watch(None)
    sizes = {}
    steps = sample_runs.steps((event["type"], event["payload"]) for event in samples.events(LONG))
    busy = process_time()
    for step in steps:
        began = perf_counter()
        watching.add(step)
        spans.append(perf_counter() - began)
        if step.version in {SHORT, LONG}:
            sizes[step.version] = len(json.dumps(watching.state()))
    busy = process_time() - busy
    # Four events make a round of the sample: the median of rounds, since others use the machine too.
    short, long = (statistics.median(_rounds(spans[count - 800 : count])) / 4 for count in (SHORT, LONG))
    rows = [
        ("events a second of one core", len(spans) / busy),
        (f"one more event on {SHORT:,} events, µs", short * 1e6),
        (f"one more event on {LONG:,} events, µs", long * 1e6),
        ("ratio", long / short),
        (f"state at {SHORT:,} events, bytes", sizes[SHORT]),
        (f"state at {LONG:,} events, bytes", sizes[LONG]),
    ]
    publish("hints_speed", "Hints: speed", ("measure", "value"), rows)


def _rounds(spans: list[float]) -> list[float]:
    return [sum(spans[place : place + 4]) for place in range(0, len(spans), 4)]
