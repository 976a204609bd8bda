"""The refinery at work: extract → update, from a stream's messages to decisions about experiences.

`run` is the worker's. What takes long, reading, extracting and embedding, holds no lock; decisions are written in one
transaction, a tenant's distillations one after the other, so that the same conversation sent ten times at once comes to
what it comes to once.
"""

from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime

from memory import limits, queue, sql
from memory.distillation import spending, summary, turns
from memory.distillation.apply import Writer
from memory.distillation.data import Extraction, Rules, Turn
from memory.distillation.echo import Recalled, without_recalled
from memory.distillation.extract import extract
from memory.distillation.update import Thresholds
from memory.embedding.current import calibrate, calibration_of, embedder
from memory.embedding.spec import Matrix
from memory.errors import Conflict, NotFound
from memory.events import facts, history, store
from memory.events.draft import draft
from memory.layers import distilled, embedding, task
from memory.llm import client as llm
from memory.models import Decision, Distillation, Experience, QueueItem, Stream, Task
from memory.redact import redact_json
from memory.tenancy import tenant_scope
from memory.tokens import counting
from memory.vocabulary import Action, DistillationMode, EventType, Outcome, TaskStatus, WorkStatus

# The one thing that a try may change beside the settings of a tenant.
LLM_MODEL = "ARES_LLM_MODEL"


def run(tenant_id: int, item: QueueItem) -> None:
    """Do a distillation, and finish its work in the queue with it.

    Raises:
        ServiceFailed: the embedding service does not answer; nothing was decided.
        LeaseLost: another worker has it by now; nothing was decided.
    """
    with tenant_scope(tenant_id):
        distillation = Distillation.objects.select_for_update().filter(pk=item.subject_id).first()
        if distillation is None or distillation.status == WorkStatus.COMPLETED:
            queue.finish(item)
            return
        if distillation.mode == DistillationMode.LIGHT:
            _pack_later(distillation, item)
            return
        distillation.status, distillation.started_at = WorkStatus.PROCESSING, datetime.now(UTC)
        distillation.save(update_fields=["status", "started_at"])
        stream = Stream.objects.filter(name=distillation.stream_name).first()
        read = turns.of_stream(stream, *_part(distillation)) if stream else []
        recalled = _recalled(stream) if stream else []
        rules, thresholds = rules_of(distillation), thresholds_of(distillation)
        failed = stream is not None and _has_failed(distillation, stream)
    uses: list[llm.Use] = []
    model_asked = llm.client(wished_model(distillation))
    extraction, note = extracted(read, rules, failed=failed, recalled=recalled, model=model_asked, note_use=uses.append)
    if uses:
        with tenant_scope(tenant_id):
            spending.record(distillation.pk, uses)
    model = embedder()
    calibrate(model)
    vectors = embedding.vectors(tenant_id, [candidate.text for candidate in extraction.candidates], model)
    with tenant_scope(tenant_id):
        sql.run("lock_memory", {})
        distillation = Distillation.objects.select_for_update().filter(pk=item.subject_id).first()
        queue.finish(item)
        if distillation is not None:
            distillation.error = note
            complete(distillation, read, extraction, vectors, model.model, thresholds)


def _pack_later(distillation: Distillation, item: QueueItem) -> None:
    queue.finish(item)
    try:
        pack(distillation, task.lock(distillation.task_id))
    except NotFound:
        note_failure(distillation.pk, WorkStatus.FAILED, "The task was forgotten meanwhile.")


def extracted(
    read: Sequence[Turn],
    rules: Rules,
    *,
    failed: bool,
    recalled: Sequence[Recalled],
    model: llm.Client | None,
    note_use: Callable[[llm.Use], None],
) -> tuple[Extraction, str]:
    """The candidates in these turns, by rules and, where there is one, by a language model; and a note if that failed.

    Args:
        recalled: what was put in front of the agent: what repeats it afterwards was not learned here.
        note_use: told of each answer of the language model.
    """
    found = extract(read, rules, failed=failed)
    note = ""
    if model is not None and read:
        found, note = summary.extended(found, read, rules, model, note_use)
    return without_recalled(found, recalled, {turn.id: turn.version for turn in read}), note


def complete(
    distillation: Distillation,
    read: Sequence[Turn],
    extraction: Extraction,
    vectors: Matrix,
    model: str,
    thresholds: Thresholds,
) -> None:
    """Decide about every candidate and write down what came of it. Needs the tenant's memory locked."""
    writer = Writer(distillation, {turn.id: turn for turn in read}, thresholds, model, calibration_of(model))
    writer.drop(extraction.dropped)
    for candidate, vector in zip(extraction.candidates, vectors, strict=True):
        writer.decide(candidate, vector)
    touched = writer.experiences
    distillation.status, distillation.completed_at = WorkStatus.COMPLETED, datetime.now(UTC)
    distillation.messages, distillation.exchanges = len(read), extraction.exchanges
    distillation.candidates = len(extraction.candidates)
    distillation.input_tokens = sum(counting.count(turn.text) for turn in read)
    distillation.memory_tokens = sum(experience.tokens for experience in touched)
    distillation.save()
    if not distillation.draft:
        record(distillation, [experience.pk for experience in touched], writer.actions)
        distilled.evict()


def pack(distillation: Distillation, packed: Task) -> Distillation:
    """The light path: a task's input and output, as they are but for secrets, become the distillation's one
    decision."""
    now = datetime.now(UTC)
    distillation.status, distillation.started_at, distillation.completed_at = WorkStatus.COMPLETED, now, now
    distillation.save(force_insert=distillation._state.adding)
    Decision.objects.create(
        tenant_id=distillation.tenant_id,
        distillation=distillation,
        number=1,
        stage="pack",
        action=Action.INSERT,
        rule="light",
        reason="Input and output were packed as they are.",
        candidate=redact_json({"input": packed.input, "output": packed.output, "status": packed.status}),
        created_at=now,
    )
    record(distillation, [], {Action.INSERT: 1})
    return distillation


def record(distillation: Distillation, experiences: Sequence[str], actions: Mapping[str, int]) -> None:
    """Tell the stream what was learned from it."""
    payload = {
        "distillation_id": distillation.pk,
        "mode": distillation.mode,
        "experiences": list(experiences),
        "decisions": dict(actions),
        "input_tokens": distillation.input_tokens,
        "memory_tokens": distillation.memory_tokens,
    } | ({"task_id": distillation.task_id} if distillation.task_id else {})
    event = draft({"type": EventType.MEMORY_DISTILLED, "payload": payload}, store.limits())
    store.append(distillation.stream_name, [event])


def note_failure(distillation_id: str, status: WorkStatus, reason: str) -> None:
    """Say where a distillation stands after it could not be done: it is tried again, or has failed."""
    Distillation.objects.filter(pk=distillation_id).update(status=status, error=reason)


def rules_of(distillation: Distillation) -> Rules:
    """The tenant's rules of extraction, with what this distillation was told otherwise."""
    return Rules(precision_over_recall=bool(setting(distillation, "ARES_PRECISION_OVER_RECALL")))


def thresholds_of(distillation: Distillation) -> Thresholds:
    """The tenant's thresholds of similarity, with what this distillation was told otherwise."""
    return Thresholds(
        new_below=float(setting(distillation, "ARES_NEW_BELOW")),
        conflict_above=float(setting(distillation, "ARES_CONFLICT_ABOVE")),
        redundant_above=float(setting(distillation, "ARES_REDUNDANT_ABOVE")),
        precision_over_recall=bool(setting(distillation, "ARES_PRECISION_OVER_RECALL")),
    )


def wished_model(distillation: Distillation) -> str:
    """The language model that this distillation was told to ask; empty for the installation's."""
    return str(distillation.rules.get(LLM_MODEL, ""))


def setting(distillation: Distillation, name: str) -> float:
    """A setting as it holds for this distillation."""
    given = distillation.rules.get(name)
    return float(given) if given is not None else limits.fraction(name)


def _part(distillation: Distillation) -> tuple[int, int | None]:
    """From which version to which a distillation reads: a task's from where it was opened to where it ended.

    Raises:
        Conflict: the task's events are not there.
    """
    if not distillation.task_id:
        return 1, None
    stream = Stream.objects.named(distillation.stream_name)
    types = (EventType.TASK_CREATED, EventType.TASK_COMPLETED, EventType.TASK_FAILED)
    ends = history.of_types(stream, types, turns.MOST_EVENTS)
    told = [event.version for event in ends if event.payload.get("task_id") == distillation.task_id]
    if not told:
        raise Conflict(f"Stream {distillation.stream_name} does not tell of task {distillation.task_id}.")
    return told[0], told[-1] if len(told) > 1 else None


def _has_failed(distillation: Distillation, stream: Stream) -> bool:
    """Whether what is read came to no good end: the task, where it is about one, else the whole run."""
    if not distillation.task_id:
        return stream.outcome == Outcome.FAILED
    return Task.objects.filter(pk=distillation.task_id, status=TaskStatus.FAILED).exists()


def _recalled(stream: Stream) -> list[Recalled]:
    """What was recalled in this stream: the experiences as they are now, and as the events tell them."""
    told: list[tuple[int, str, str]] = []
    for event in history.of_types(stream, [EventType.MEMORY_RECALLED], turns.MOST_EVENTS):
        results = event.payload.get("results")
        found = [each for each in results if isinstance(each, dict)] if isinstance(results, list) else []
        told += [(event.version, facts.string(each, "id"), facts.string(each, "text")) for each in found]
    texts = {each.pk: each.text for each in Experience.objects.filter(pk__in={pk for _, pk, _ in told})}
    return [Recalled(version, texts.get(pk, excerpt)) for version, pk, excerpt in told]
