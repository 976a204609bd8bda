"""Token savings: the published workload of three scenarios with our own pairs, in the product.

Their contexts keep the newest few memories whatever is asked. Here every problem that was told is asked again in other
words, and it is counted how often its solution is in the context. Their estimate of tokens stands beside exact counts,
and beside the product the naive way: whole rounds, chosen by their commonest words, within the same budget.
"""

import statistics
from collections.abc import Callable, Iterable, Sequence

from bench import histories
from bench.learner import Learner, Message, Sent, TermFrequency, estimate, line_of, truncated, whole
from bench.pairs import PAIRS, Pair, conversation
from bench.pairs_held_out import HELD_OUT
from bench.report import Chart, publish
from bench.server import Installation

# Saved per cent as published, by rounds, and after so many sessions.
PUBLISHED = {10: 67.3, 20: 83.8, 30: 88.9, 40: 88.2, 50: 92.0, 60: 94.6, 70: 94.8, 80: 96.5, 90: 95.5, 100: 97.2}
PUBLISHED_SESSIONS = (27.7, 29.3, 30.4, 38.0, 40.2, 52.8, 60.2, 56.2, 54.7, 60.5)
BUDGET = 320
# What three whole pairs take in the published measurement.
PUBLISHED_BUDGET = 339
WINDOW = 10


def run(place: Installation) -> None:
    """Measure all, and publish a table for each scenario."""
    _one_conversation()
    _ten_sessions()
    _equal_budget()
    _other_problems()
    histories.run()


def _one_conversation() -> None:
    rows = []
    for rounds, published in PUBLISHED.items():
        told = conversation(rounds)
        learner = Learner(f"one-{rounds}")
        learner.learn(told)
        rows.append((rounds, *_compared(learner, told, PAIRS[:rounds], published)))
    publish(
        "savings-conversation",
        f"One conversation: the whole history against a context of at most {BUDGET} tokens",
        ("rounds", *COMPARED),
        rows,
        chart=Chart("rounds", ("saved % (est.)", "published %"), "tokens not sent, %"),
    )


def _ten_sessions() -> None:
    learner = Learner("sessions")
    told: list[Message] = []
    rows = []
    for number, published in enumerate(PUBLISHED_SESSIONS):
        session = conversation(5, first=5 * number)
        told += session
        learner.learn(session)
        compared = _compared(learner, told, PAIRS[: 5 * (number + 1)], published)
        rows.append((number + 1, *compared, *learner.memories()))
    publish(
        "savings-sessions",
        "Ten sessions of five rounds, accumulating",
        ("sessions", *COMPARED, "memories", "their tokens"),
        rows,
        chart=Chart("sessions", ("saved % (est.)", "published %"), "tokens not sent, %"),
    )


COMPARED = (
    "raw (est.)", "sent (est.)", "saved % (est.)", "published %", "raw", "sent", "saved %", "answered",
    "by term frequency",
)  # fmt: skip


def _compared(learner: Learner, told: Sequence[Message], known: Sequence[Pair], published: float) -> tuple[object, ...]:
    raw = [whole(told, pair.asked) for pair in known]
    sent = [learner.ask(pair.asked, BUDGET) for pair in known]
    naive = TermFrequency(_rounds(told))
    return (
        _mean(estimate(each.text) for each in raw),
        _mean(estimate(each.text) for each in sent),
        _saved([(estimate(one.text), estimate(other.text)) for one, other in zip(raw, sent, strict=True)]),
        published,
        _mean(each.tokens for each in raw),
        _mean(each.tokens for each in sent),
        _saved([(one.tokens, other.tokens) for one, other in zip(raw, sent, strict=True)]),
        _answered(sent, known),
        _answered([naive.ask(pair.asked, BUDGET) for pair in known], known),
    )


def _equal_budget() -> None:
    told = conversation(50)
    learner, naive = Learner("budget"), TermFrequency(_rounds(told))
    learner.learn(told)
    rows = []
    for budget in (300, PUBLISHED_BUDGET, 400):
        ways: dict[str, Callable[[str], Sent]] = {
            "memory alone": lambda asked, budget=budget: learner.ask(asked, budget),
            "window and memory": lambda asked, budget=budget: learner.ask(asked, budget, WINDOW),
            "term frequency": lambda asked, budget=budget: naive.ask(asked, budget),
        }
        rows += [_held(f"{budget}, {name}", [ask(pair.asked) for pair in PAIRS]) for name, ask in ways.items()]
    rows.append(_held("10 messages of 100 bytes", [truncated(told, pair.asked) for pair in PAIRS]))
    columns = ("budget in tokens", "sent", "sent (est.)", "whole pairs", "answered")
    publish("savings-budget", "Equal budgets, after 50 rounds (published: 3 whole pairs in 339)", columns, rows)


def _held(name: str, sent: Sequence[Sent]) -> tuple[object, ...]:
    return (
        name,
        _mean(each.tokens for each in sent),
        _mean(estimate(each.text) for each in sent),
        _mean(sum(each.holds(pair.solution) for pair in PAIRS) for each in sent),
        _answered(sent, PAIRS),
    )


def _other_problems() -> None:
    """The same question of problems that nothing was chosen by, alone and in one memory with the others."""
    rows = []
    for name, known in (("held out alone", HELD_OUT), ("held out and the twenty", (*PAIRS, *HELD_OUT))):
        told = [
            {"role": role, "content": text}
            for pair in known
            for role, text in (("user", pair.problem), ("assistant", pair.solution))
        ]
        learner = Learner(name)
        learner.learn(told)
        naive = TermFrequency(_rounds(told))
        for asked in (HELD_OUT, PAIRS) if len(known) > len(HELD_OUT) else (HELD_OUT,):
            sent = [learner.ask(pair.asked, BUDGET) for pair in asked]
            whose = "held out" if asked is HELD_OUT else "the twenty"
            rows.append(
                (
                    f"{name}: {whose}",
                    _mean(each.tokens for each in sent),
                    _answered(sent, asked),
                    _answered([naive.ask(pair.asked, BUDGET) for pair in asked], asked),
                )
            )
    columns = ("memory: asked", "sent", "answered", "by term frequency")
    publish("savings-held-out", f"Problems that nothing was chosen by, at {BUDGET} tokens", columns, rows)


def _rounds(told: Sequence[Message]) -> list[tuple[str, str]]:
    """What was asked and what was answered, as one piece each."""
    pairs = zip(told[::2], told[1::2], strict=True)
    return [(f"{line_of(asked)}\n{line_of(answer)}", "") for asked, answer in pairs]


def _answered(sent: Sequence[Sent], known: Sequence[Pair]) -> str:
    return f"{sum(each.holds(pair.solution) for each, pair in zip(sent, known, strict=True))}/{len(known)}"


def _mean(values: Iterable[float]) -> float:
    return statistics.fmean(values)


def _saved(pairs: Sequence[tuple[int, int]]) -> float:
    """Per cent: of all tokens, how many were not sent."""
    raw, sent = (sum(column) for column in zip(*pairs, strict=True))
    return 100 * (raw - sent) / raw
