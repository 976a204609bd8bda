"""Inspect evaluation logs in JSON: one run a sample.

A sample is told from its events, or, where it has none, from its messages.
"""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from memory.events.facts import text_of
from memory.imports.fields import Fields, mapping, number, sequence, string
from memory.imports.files import Record, records
from memory.imports.inspect_sample import Sample
from memory.imports.outline import outline
from memory.imports.run import Payload, Run, Skipped
from memory.imports.transcript import Transcript, run_key
from memory.vocabulary import EventType

NAME = "inspect_log"

_ATTACHMENT = re.compile(r"attachment://([0-9a-f]{1,64})")
# Inspect's letters, and what scorers give instead. Other values (partly right, a scale of its own) are no verdict.
_RIGHT, _WRONG = frozenset({"C", "1", "1.0", "True"}), frozenset({"I", "N", "0", "0.0", "False"})


def matches(path: Path, head: bytes) -> bool:
    """See `Format.matches`."""
    keys = outline(head)
    return {"eval.task", "eval.model"} <= keys and not keys.isdisjoint({"version", "status", "plan", "samples[]"})


def read(path: Path) -> Iterator[Run | Skipped]:
    """See `Format.read`."""
    for record in records(path):
        if isinstance(record, Skipped):
            yield record
        elif not isinstance(mapping(record.value).get("samples"), list):
            yield Skipped(record.where, "is no Inspect log with samples: it has no list `samples`")
        else:
            yield from _samples(record)


def _samples(record: Record) -> Iterator[Run | Skipped]:
    evaluation = mapping(record.value.get("eval"))
    for place, sample in enumerate(record.value["samples"], start=1):
        where = f"{record.where}: sample {place}"
        if isinstance(sample, dict):
            yield from _run(where, evaluation, sample)
        else:
            yield Skipped(where, "is no sample: it is not an object")


def _run(where: str, evaluation: Fields, raw: Fields) -> Iterator[Run | Skipped]:
    resolver = _Attachments(mapping(raw.get("attachments")))
    sample = {name: resolver.resolve(value) for name, value in raw.items() if name != "attachments"}
    task, model = string(evaluation.get("task")), string(evaluation.get("model"))
    transcript = Transcript(where)
    verdict = _verdict(sample)
    if verdict:
        transcript.add(EventType.TASK_CREATED, {"input": sample.get("input")})
    told = Sample(transcript, sample)
    told.tell()
    if verdict:
        transcript.add(*verdict)
    ids = (evaluation.get("run_id"), evaluation.get("task_id"), sample.get("id"), sample.get("epoch"))
    uuid = string(sample.get("uuid"))
    yield from transcript.finish(
        key=run_key("inspect", uuid) if uuid else run_key("inspect", *ids, content=raw),
        title=f"{task}: {_request(sample.get('input'))}",
        agent_id="/".join(filter(None, ("inspect", task, model))),
        counts={"samples": 1, "events": len(sequence(sample.get("events"))), "messages": told.message_count},
        metadata={
            "run_id": evaluation.get("run_id"),
            "task": task,
            "sample_id": sample.get("id"),
            "epoch": sample.get("epoch"),
            "target": sample.get("target"),
            "scores": {name: mapping(score).get("value") for name, score in mapping(sample.get("scores")).items()},
            "model_usage": mapping(sample.get("model_usage")),
            "total_time": number(sample.get("total_time")),
            "missing_attachments": resolver.missing or None,
            "time_zone": "assumed UTC where the origin names none" if told.lacks_zone else None,
        },
    )


class _Attachments:
    """Puts back the texts that a log keeps apart. `missing` counts references to none."""

    def __init__(self, texts: Fields) -> None:
        self.texts = texts
        self.missing = 0

    def resolve(self, value: Any) -> Any:
        """The value with every text that is a reference replaced; what was attached is not looked through again."""
        if isinstance(value, str):
            reference = _ATTACHMENT.fullmatch(value)
            if not reference:
                return value
            attached = self.texts.get(reference[1])
            self.missing += not isinstance(attached, str)
            return attached if isinstance(attached, str) else value
        if isinstance(value, dict):
            return {name: self.resolve(child) for name, child in value.items()}
        if isinstance(value, list):
            return [self.resolve(child) for child in value]
        return value


def _verdict(sample: Fields) -> tuple[str, Payload] | None:
    """How the sample's task ended; None where neither an error nor a score tells."""
    scores = mapping(sample.get("scores"))
    output = {"scores": scores, "completion": _completion(sample)}
    if sample.get("error"):
        return EventType.TASK_FAILED, {"output": output, "error": _error(sample["error"])}
    values = {str(mapping(score).get("value")) for score in scores.values()}
    if values & _WRONG:
        return EventType.TASK_FAILED, {"output": output}
    if values & _RIGHT and values <= _RIGHT:
        return EventType.TASK_COMPLETED, {"output": output}
    return None


def _error(value: Any) -> Any:
    """A sample's error without its traceback in colours."""
    message = string(mapping(value).get("message"))
    return {"type": "error", "message": message} if message else text_of(value)


def _completion(sample: Fields) -> Any:
    choice = mapping(next(iter(sequence(mapping(sample.get("output")).get("choices"))), None))
    return mapping(choice.get("message")).get("content")


def _request(value: Any) -> str:
    """The words of a sample's input: a text, or a list of messages of which the last is the request."""
    messages = [message for message in sequence(value) if isinstance(message, dict)]
    return text_of(messages[-1].get("content")) if messages else text_of(value)
