"""Token savings: the published workload of three scenarios with our own pairs, in the product, and on real histories.

Their contexts keep the newest few memories whatever is asked. Here every problem that was told is asked again in other
words, and it is counted how often its solution is in the context. Their estimate of tokens stands beside exact counts.
"""

import gzip
import json
import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench.pairs import PAIRS, Pair, conversation
from bench.report import publish
from bench.server import Installation

# Saved per cent as published, by rounds, and after so many sessions.
PUBLISHED = {10: 67.3, 20: 83.8, 30: 88.9, 40: 88.2, 50: 92.0, 60: 94.6, 70: 94.8, 80: 96.5, 90: 95.5, 100: 97.2}
PUBLISHED_SESSIONS = (27.7, 29.3, 30.4, 38.0, 40.2, 52.8, 60.2, 56.2, 54.7, 60.5)
BUDGET = 320
# A solution is there if so much of its words stand in the context.
ENOUGH = 0.8
SAMPLES = {"conversations": 1, "users": 2, "runs": 20, "questions": 40}


def run(place: Installation) -> None:
    """Measure all, and publish a table for each scenario."""
    _one_conversation()
    _ten_sessions()
    _equal_budget()
    folder = Path(os.environ.get("ARES_SAMPLE_DATA") or Path(__file__).parents[2] / "shared" / "data")
    if folder.is_dir():
        _real_histories(folder)


def _one_conversation() -> None:
    rows = []
    for rounds, published in PUBLISHED.items():
        told = conversation(rounds)
        learner = Learner(f"one-{rounds}")
        learner.learn(told)
        known = PAIRS[:rounds]
        answers = [learner.ask(pair, told) for pair in known]
        rows.append(
            (
                rounds,
                _mean(each.raw_estimate for each in answers),
                _mean(each.sent_estimate for each in answers),
                _saved([(each.raw_estimate, each.sent_estimate) for each in answers]),
                published,
                _mean(each.raw for each in answers),
                _mean(each.sent for each in answers),
                _saved([(each.raw, each.sent) for each in answers]),
                f"{sum(each.is_there for each in answers)}/{len(known)}",
            )
        )
    publish(
        "savings-conversation",
        f"One conversation: the whole history against a context of at most {BUDGET} tokens",
        (
            "rounds", "raw (est.)", "sent (est.)", "saved % (est.)", "published %", "raw", "sent", "saved %",
            "answered",
        ),
        rows,
    )  # fmt: skip


def _ten_sessions() -> None:
    learner = Learner("sessions")
    everything: list[dict[str, str]] = []
    rows = []
    for number, published in enumerate(PUBLISHED_SESSIONS):
        told = conversation(5, first=5 * number)
        everything += told
        learner.learn(told)
        known = PAIRS[: 5 * (number + 1)]
        answers = [learner.ask(pair, everything) for pair in known]
        memories, memory_tokens = learner.memories()
        rows.append(
            (
                number + 1,
                _mean(each.raw_estimate for each in answers),
                estimate(_truncated(everything, known[0].problem)),
                _mean(each.sent_estimate for each in answers),
                _saved([(each.raw_estimate, each.sent_estimate) for each in answers]),
                published,
                _saved([(each.raw, each.sent) for each in answers]),
                memories,
                memory_tokens,
                f"{sum(each.is_there for each in answers)}/{len(known)}",
            )
        )
    publish(
        "savings-sessions",
        "Ten sessions of five rounds, accumulating",
        (
            "sessions", "raw (est.)", "truncated (est.)", "sent (est.)", "saved % (est.)", "published %", "saved %",
            "memories", "their tokens", "answered",
        ),
        rows,
    )  # fmt: skip


def _equal_budget() -> None:
    told = conversation(50)
    learner = Learner("budget")
    learner.learn(told)
    rows = []
    for budget in (300, BUDGET, 400):
        for what, history in (("memory alone", 0), ("window and memory", 10)):
            answers = [learner.ask(pair, told, budget, history) for pair in PAIRS]
            rows.append(
                (
                    f"{budget}, {what}",
                    _mean(each.sent for each in answers),
                    _mean(each.pairs for each in answers),
                    f"{sum(each.is_there for each in answers)}/{len(answers)}",
                )
            )
    cut = [_truncated(told, pair.asked) for pair in PAIRS]
    there = sum(_holds(text, pair.solution) for text, pair in zip(cut, PAIRS, strict=True))
    rows.append(("10 messages of 100 bytes", _mean(map(_count, cut)), 0.0, f"{there}/{len(cut)}"))
    publish(
        "savings-budget",
        "Equal budgets, after 50 rounds",
        ("budget in tokens", "sent", "whole pairs", "answered"),
        rows,
    )


def _real_histories(folder: Path) -> None:
    rows = []
    for name, sessions, questions in (*_locomo(folder), *_personamem(folder), *_tau_bench(folder)):
        learner = Learner(re.sub(r"\W+", "-", name.lower()))
        for session in sessions:
            learner.learn(session)
        everything = [message for session in sessions for message in session]
        answers = [learner.context(asked, everything, 1000, 0, 20) for asked in questions[: SAMPLES["questions"]]]
        memories, memory_tokens = learner.memories()
        rows.append(
            (
                name,
                len(sessions),
                len(everything),
                _mean(each.raw for each in answers),
                _mean(each.sent for each in answers),
                _saved([(each.raw, each.sent) for each in answers]),
                memories,
                memory_tokens,
            )
        )
    publish(
        "savings-real",
        "Real histories: the whole of them against a context of at most 1,000 tokens",
        ("history", "sessions", "messages", "raw", "sent", "saved %", "memories", "their tokens"),
        rows,
    )


@dataclass(frozen=True, slots=True)
class Answer:
    """A context for a question: tokens of all that was said and of what is sent, exact and as they estimate them, how
    many whole pairs are in it, and whether the one that was asked for is."""

    raw: int
    sent: int
    raw_estimate: int
    sent_estimate: int
    pairs: int
    is_there: bool


class Learner:
    """A tenant of its own, in which one user talks and the product distils."""

    def __init__(self, name: str) -> None:
        from memory import tenants

        self.tenant, _ = tenants.get_or_open(f"savings-{name}"[:50])
        self.session = ""

    def learn(self, messages: Sequence[dict[str, Any]]) -> None:
        """Record a session and have it distilled, as the worker does."""
        from memory import worker
        from memory.manager import MemoryManager
        from memory.tenancy import tenant_scope
        from memory.vocabulary import Queue

        manager = MemoryManager("bench", lambda _: None)
        with tenant_scope(self.tenant.pk):
            self.session = manager.create_session("ann", "bench").pk
            for start in range(0, len(messages), 1000):
                manager.add_message(self.session, *messages[start : start + 1000])
            manager.distill_session(self.session)
        for queue in (Queue.DISTILLATION, Queue.EMBEDDING):
            while worker.work(self.tenant.pk, queue):
                pass

    def ask(self, pair: Pair, told: Sequence[dict[str, Any]], budget: int = BUDGET, history: int = 0) -> Answer:
        """The context for a problem in other words."""
        return self.context(pair.asked, told, budget, history, 5, pair)

    def context(
        self,
        asked: str,
        told: Sequence[dict[str, Any]],
        budget: int,
        history: int,
        top_k: int,
        pair: Pair | None = None,
    ) -> Answer:
        """The context that the product builds, against all that was told."""
        from memory.manager import MemoryManager
        from memory.tenancy import tenant_scope

        with tenant_scope(self.tenant.pk):
            made = MemoryManager("bench", lambda _: None).build_context(
                self.session, asked, max_tokens=budget, max_history=history, top_k=top_k
            )
        content = str(made.content)
        whole = _whole(told, asked)
        return Answer(
            _count(whole),
            made.tokens.sent,
            estimate(whole),
            estimate(content),
            sum(_holds(content, each.solution) for each in PAIRS),
            pair is not None and _holds(content, pair.solution),
        )

    def memories(self) -> tuple[int, int]:
        """How many experiences there are, and their tokens."""
        from memory.models import Experience
        from memory.tenancy import tenant_scope

        with tenant_scope(self.tenant.pk):
            found = [each.text for each in Experience.objects.active()]
        return len(found), sum(map(_count, found))


def estimate(text: str) -> int:
    """Tokens as the published measurement estimates them."""
    if not text:
        return 0
    cjk = sum("\u4e00" <= sign <= "\u9fff" for sign in text)
    return (len(text.encode()) - cjk) // 4 + cjk * 2 // 3 + 1


def _whole(told: Sequence[dict[str, Any]], asked: str) -> str:
    return "\n".join([*(f"{each['role']}: {each['content']}" for each in told), f"user: {asked}"])


def _truncated(told: Sequence[dict[str, Any]], asked: str) -> str:
    """The last ten messages, each cut at a hundred bytes."""
    cut = [each["content"].encode()[:100].decode(errors="ignore") for each in told[-10:]]
    return "\n".join([*cut, asked])


def _holds(text: str, solution: str) -> bool:
    words = set(re.findall(r"\w{3,}", solution.lower()))
    return len(words & set(re.findall(r"\w{3,}", text.lower()))) >= ENOUGH * len(words)


def _count(text: str) -> int:
    from memory.tokens import counting

    return counting.count(text)


def _mean(values: Any) -> float:
    numbers = list(values)
    return sum(numbers) / len(numbers)


def _saved(pairs: list[tuple[int, int]]) -> float:
    """Per cent: of all tokens, how many were not sent."""
    raw, sent = (sum(column) for column in zip(*pairs, strict=True))
    return 100 * (raw - sent) / raw


History = tuple[str, list[list[dict[str, Any]]], list[str]]


def _locomo(folder: Path) -> Iterator[History]:
    for sample in json.loads((folder / "locomo" / "locomo10.json").read_text())[: SAMPLES["conversations"]]:
        talk = sample["conversation"]
        names = sorted((name for name in talk if re.fullmatch(r"session_\d+", name)), key=lambda name: int(name[8:]))
        roles = {talk["speaker_a"]: "user", talk["speaker_b"]: "assistant"}
        sessions = [
            [{"role": roles[turn["speaker"]], "name": turn["speaker"], "content": turn["text"]} for turn in talk[name]]
            for name in names
            if talk[name]
        ]
        yield f"LoCoMo {sample['sample_id']}", sessions, [each["question"] for each in sample["qa"]]


def _personamem(folder: Path) -> Iterator[History]:
    documents, queries = (
        json.loads(gzip.decompress((folder / "personamem-32k" / f"{name}.json.gz").read_bytes()))
        for name in ("documents", "queries")
    )
    for user in list(dict.fromkeys(each["user_id"] for each in documents))[: SAMPLES["users"]]:
        sessions = [_spoken(each["content"]) for each in documents if each["user_id"] == user]
        asked = [each["meta"]["retrieval_query"] for each in queries if each["user_id"] == user]
        yield f"PersonaMem {user[:12]}", sessions, asked


def _spoken(text: str) -> list[dict[str, Any]]:
    parts = re.split(r"^\[(SYSTEM|USER|ASSISTANT)\] (?:User: |Assistant: )?", text, flags=re.MULTILINE)[1:]
    return [{"role": role.lower(), "content": said.strip()} for role, said in zip(parts[::2], parts[1::2], strict=True)]


def _tau_bench(folder: Path) -> Iterator[History]:
    packed = folder / "tau-bench-airline" / "gpt-4o-airline.json.gz"
    runs = json.loads(gzip.decompress(packed.read_bytes()))[: SAMPLES["runs"]]
    kept = ("role", "content", "name", "tool_calls", "tool_call_id")
    sessions = [
        [{name: said[name] for name in kept if said.get(name)} for said in run["traj"] if said["role"] != "system"]
        for run in runs
    ]
    sessions = [[{"content": "", **said} for said in session] for session in sessions]
    yield "tau-bench airline", sessions, [session[0]["content"] for session in sessions]
