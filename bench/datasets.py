"""Sample sets as one shape: texts in sequences, and questions whose fitting texts are known.

The folder is named by ARES_SAMPLE_DATA; nothing of it is part of the repository.
"""

import json
import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

DEFAULT = Path(__file__).parents[2] / "shared" / "data"


@dataclass(frozen=True, slots=True)
class Document:
    """Texts that follow each other, each with the id that questions know it by. `said_at` is when; of a dialogue each
    text begins with who speaks."""

    title: str
    texts: dict[str, str]
    said_at: datetime | None = None
    is_dialogue: bool = False

    def messages(self) -> list[dict[str, Any]]:
        """The texts as a conversation that is recorded, a message each, in their order."""
        return [self._message(text) for text in self.texts.values()]

    def _message(self, text: str) -> dict[str, Any]:
        speaker, said = text.split(": ", 1) if self.is_dialogue else ("", text)
        at = {"occurred_at": self.said_at.isoformat()} if self.said_at else {}
        return {"role": "user", "content": said, **({"name": speaker} if speaker else {}), **at}


@dataclass(frozen=True, slots=True)
class Question:
    """A question and the ids of the texts that answer it."""

    text: str
    fitting: frozenset[str]


@dataclass(frozen=True, slots=True)
class Corpus:
    """What belongs to one user: nothing of it is searched for questions about another's."""

    name: str
    documents: list[Document]
    questions: list[Question]


@dataclass(frozen=True, slots=True)
class Dataset:
    """A sample set. `places` are where recall is measured; `any_fits` counts a question as answered by one fitting
    text, otherwise the share of the fitting ones counts."""

    name: str
    corpora: list[Corpus]
    places: tuple[int, int, int]
    any_fits: bool


def folder() -> Path | None:
    """The folder of sample data, if there is one."""
    found = Path(os.environ.get("ARES_SAMPLE_DATA") or DEFAULT)
    return found if found.is_dir() else None


def all_sets(data: Path) -> list[Dataset]:
    """The sets that recall is measured on."""
    return [
        Dataset("LoCoMo", list(_locomo(data / "locomo" / "locomo10.json")), (5, 10, 20), any_fits=False),
        Dataset("bfcl-memory", list(_bfcl(data / "bfcl-memory")), (1, 3, 5), any_fits=True),
        Dataset("madial-bench zh", [_madial(data / "madial-bench", "zh")], (1, 5, 10), any_fits=True),
        Dataset("madial-bench en", [_madial(data / "madial-bench", "en")], (1, 5, 10), any_fits=True),
    ]


def _locomo(path: Path) -> Iterator[Corpus]:
    """Questions of the categories 1 to 4 of which some evidence is there; each session is a document of its turns."""
    for sample in json.loads(path.read_text()):
        told = sample["conversation"]
        sessions = [name for name in told if re.fullmatch(r"session_\d+", name) and told[name]]
        sessions.sort(key=lambda name: int(name.removeprefix("session_")))
        documents = [
            Document(
                told[f"{name}_date_time"],
                {turn["dia_id"]: _turn(turn) for turn in told[name]},
                datetime.strptime(told[f"{name}_date_time"], "%I:%M %p on %d %B, %Y").replace(tzinfo=UTC),
                is_dialogue=True,
            )
            for name in sessions
        ]
        known = {turn for document in documents for turn in document.texts}
        questions = [
            Question(asked["question"], frozenset(known.intersection(asked["evidence"])))
            for asked in sample["qa"]
            if asked["category"] <= 4 and known.intersection(asked["evidence"])
        ]
        yield Corpus(sample["sample_id"], documents, questions)


def _turn(turn: dict[str, Any]) -> str:
    caption = f"\n[picture: {turn['blip_caption']}]" if turn.get("blip_caption") else ""
    return f"{turn['speaker']}: {turn['text']}{caption}"


def _bfcl(folder: Path) -> Iterator[Corpus]:
    """A turn fits where one of the accepted answers stands in it, word for word."""
    accepted = {line["id"]: line["ground_truth"] for line in _lines(folder / "possible_answer" / "BFCL_v4_memory.json")}
    for scenario in ("customer", "notetaker"):
        documents = [
            Document(
                told["topic"],
                {f"{told['id']}.{number}": turn[0]["content"] for number, turn in enumerate(told["question"])},
            )
            for told in _lines(folder / "memory_prereq_conversation" / f"memory_{scenario}.json")
        ]
        texts = {key: _plain(text) for document in documents for key, text in document.texts.items()}
        questions = [
            Question(
                asked["question"][0][0]["content"],
                frozenset(
                    key
                    for key, text in texts.items()
                    if any(_plain(str(answer)) in text for answer in accepted[asked["id"]])
                ),
            )
            for asked in _lines(folder / "BFCL_v4_memory.json")
            if asked["scenario"] == scenario
        ]
        yield Corpus(scenario, documents, questions)


def _plain(text: str) -> str:
    return re.sub(r"\W+", " ", text.lower()).strip()


def _madial(folder: Path, language: str) -> Corpus:
    """The query is the conversation before the first turn that should use a memory; memories stand alone."""
    documents = []
    for line in _lines(folder / language / f"MADial-Bench-{language}-memory.json"):
        memory_id = next(key for key in line if key not in ("user-id", "id"))
        told = line[memory_id]
        said_at = datetime.fromisoformat(told["time"]).replace(tzinfo=UTC)
        documents.append(Document(told["time"], {memory_id: told["event"]}, said_at))
    questions = []
    for line in _lines(folder / language / f"MADial-Bench-{language}-dialogue.json"):
        said = [turn.strip() for turn in line["dialogue"][: min(line["test-turn"])] if not turn.startswith("<BOD")]
        questions.append(Question("\n".join(said), frozenset(map(str, line["relevant-id"]))))
    return Corpus(language, documents, questions)


def _lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().splitlines() if line.strip()]
