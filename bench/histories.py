"""Token savings on real histories, together with what was kept: a small number alone says nothing.

LoCoMo and PersonaMem: everything is told first, and then asked. tau-bench: runs in sequence, each asked before it is
told, as an agent would that does one task after the other.
"""

import gzip
import json
import re
import statistics
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from bench import datasets
from bench.learner import Learner, Message, Sent, TermFrequency, count, line_of, truncated, words_of
from bench.report import publish

BUDGET = 1000
TOP_K = 20
# The first two of each, and two trials of each task: some minutes.
CONVERSATIONS, USERS, TRIALS, QUESTIONS = 2, 2, 2, 25
COLUMNS = ("way", "questions", "raw", "sent", "saved %", "evidence kept %")


class Question(NamedTuple):
    """What is asked, and the share of its evidence that a context holds."""

    text: str
    kept: Callable[[Sent], float]


class Asked(NamedTuple):
    """A question's tokens in the whole history, in what was sent, and the share of its evidence that was kept."""

    raw: int
    sent: int
    kept: float


def run() -> None:
    """Measure the histories of the sample data, if there is any, and publish them."""
    folder = datasets.folder()
    if folder is None:
        print("savings: there is no sample data; ARES_SAMPLE_DATA names its folder.")
        return
    _publish("locomo", "LoCoMo", _of(_locomo(folder)))
    _publish("personamem", "PersonaMem", _of(_personamem(folder)))
    _publish("tau-bench", "tau-bench, runs in sequence", _tau_bench(folder))


def _publish(name: str, what: str, rows: Sequence[Sequence[object]]) -> None:
    title = f"{what}: the whole history against a context of at most {BUDGET:,} tokens"
    publish(f"savings-real-{name}", title, COLUMNS, rows)


# Sessions told; and, given the ids of their messages, the questions.
History = tuple[str, list[list[Message]], Callable[[list[list[str]]], list[Question]]]


def _of(histories: Iterator[History]) -> list[tuple[object, ...]]:
    asked: dict[str, list[Asked]] = {}
    for name, sessions, questions_of in histories:
        learner = Learner(name)
        ids = [learner.learn(session) for session in sessions]
        told = [message for session in sessions for message in session]
        flat = [key for session in ids for key in session]
        naive = TermFrequency(zip(map(line_of, told), flat, strict=True))
        raw = sum(count(line_of(message)) for message in told)
        questions = questions_of(ids)
        for question in questions[:: max(1, len(questions) // QUESTIONS)]:
            for way, sent in _ways(learner, naive, told, question.text).items():
                found = Asked(raw + count(question.text), sent.tokens, question.kept(sent))
                asked.setdefault(way, []).append(found)
    return [_row(way, found) for way, found in asked.items()]


def _ways(learner: Learner, naive: TermFrequency, told: Sequence[Message], asked: str) -> dict[str, Sent]:
    return {
        "aresweb": learner.ask(asked, BUDGET, 0, TOP_K),
        "term frequency": naive.ask(asked, BUDGET),
        "10 messages of 100 bytes": truncated(told, asked),
    }


def _row(way: str, asked: Sequence[Asked]) -> tuple[object, ...]:
    raw, sent = sum(each.raw for each in asked), sum(each.sent for each in asked)
    return (
        way,
        len(asked),
        raw / len(asked),
        sent / len(asked),
        100 * (raw - sent) / raw,
        100 * statistics.fmean(each.kept for each in asked),
    )


def _locomo(folder: Path) -> Iterator[History]:
    """Two people talk. Evidence are the turns that the set names; an experience keeps those it came from."""
    for sample in json.loads((folder / "locomo" / "locomo10.json").read_text())[:CONVERSATIONS]:
        talk = sample["conversation"]
        names = sorted((name for name in talk if re.fullmatch(r"session_\d+", name)), key=lambda name: int(name[8:]))
        turns = [talk[name] for name in names if talk[name]]
        sessions = [
            [{"role": "user", "name": turn["speaker"], "content": turn["text"]} for turn in session]
            for session in turns
        ]

        def questions(ids: list[list[str]], sample: Any = sample, turns: Any = turns) -> list[Question]:
            known = {
                turn["dia_id"]: key
                for session, keys in zip(turns, ids, strict=True)
                for turn, key in zip(session, keys, strict=True)
            }
            found = []
            for each in sample["qa"]:
                evidence = {known[turn] for turn in each.get("evidence", []) if turn in known}
                if evidence and each["category"] in (1, 2, 3, 4):
                    found.append(Question(each["question"], _share_of_turns(evidence)))
            return found

        yield f"LoCoMo {sample['sample_id']}", sessions, questions


def _share_of_turns(evidence: set[str]) -> Callable[[Sent], float]:
    return lambda sent: len(evidence & sent.rests_on) / len(evidence)


def _personamem(folder: Path) -> Iterator[History]:
    """Evidence are the words of the right answer that stand in the history, and not in the question."""
    documents, queries = (
        json.loads(gzip.decompress((folder / "personamem-32k" / f"{name}.json.gz").read_bytes()))
        for name in ("documents", "queries")
    )
    for user in list(dict.fromkeys(each["user_id"] for each in documents))[:USERS]:
        sessions = [_spoken(each["content"]) for each in documents if each["user_id"] == user]
        there = words_of("\n".join(line_of(message) for session in sessions for message in session))
        asked = [each for each in queries if each["user_id"] == user]

        def questions(_: list[list[str]], asked: Any = asked, there: set[str] = there) -> list[Question]:
            found = []
            for each in asked:
                text = each["meta"]["retrieval_query"]
                telling = _telling(each["gold_answers"][0], text) & there
                if telling:
                    found.append(Question(text, _share_of_words(telling)))
            return found

        yield f"PersonaMem {user[:12]}", sessions, questions


def _telling(answer: str, asked: str) -> set[str]:
    from memory.retrieval.stop_words import STOP_WORDS

    return words_of(answer) - words_of(asked) - STOP_WORDS


def _share_of_words(telling: set[str]) -> Callable[[Sent], float]:
    return lambda sent: len(telling & words_of(sent.text)) / len(telling)


def _spoken(text: str) -> list[Message]:
    parts = re.split(r"^\[(SYSTEM|USER|ASSISTANT)\] (?:User: |Assistant: )?", text, flags=re.MULTILINE)[1:]
    return [{"role": role.lower(), "content": said.strip()} for role, said in zip(parts[::2], parts[1::2], strict=True)]


def _tau_bench(folder: Path) -> list[tuple[object, ...]]:
    """A task that was done before is asked with its customer's first words: something of the earlier run must be in
    the context."""
    runs = json.loads(gzip.decompress((folder / "tau-bench-airline" / "gpt-4o-airline.json.gz").read_bytes()))
    learner, naive = Learner("tau-bench"), TermFrequency()
    told: list[Message] = []
    raw = 0
    of_task: dict[int, set[str]] = {}
    asked: dict[str, list[Asked]] = {}
    for run in sorted((run for run in runs if run["trial"] < TRIALS), key=lambda run: run["trial"]):
        session = _exchanged(run["traj"])
        wanted = session[0]["content"]
        if run["task_id"] in of_task:
            kept = _any_of(of_task[run["task_id"]])
            for way, sent in _ways(learner, naive, told, wanted).items():
                asked.setdefault(way, []).append(Asked(raw + count(wanted), sent.tokens, kept(sent)))
        ids = learner.learn(session)
        naive.learn(zip(map(line_of, session), ids, strict=True))
        told += session
        raw += sum(count(line_of(message)) for message in session)
        of_task.setdefault(run["task_id"], set()).update(ids)
    return [_row(way, found) for way, found in asked.items()]


def _any_of(messages: set[str]) -> Callable[[Sent], float]:
    return lambda sent: float(bool(messages & sent.rests_on))


def _exchanged(turns: Sequence[Message]) -> list[Message]:
    kept = ("role", "content", "name", "tool_calls", "tool_call_id")
    return [
        {"content": "", **{name: said[name] for name in kept if said.get(name)}}
        for said in turns
        if said["role"] != "system"
    ]
