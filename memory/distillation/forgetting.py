"""What was derived from a conversation goes with it: an experience that rests on nothing else is deleted, one that
rests on others too loses these sources, or is made again from the others. Needs a tenant's scope."""

from collections import Counter
from collections.abc import Sequence

from memory import queue, sql
from memory.distillation import requests
from memory.events import history
from memory.layers import deletions, distilled, lineage
from memory.models import Decision, Distillation, Experience, Revision, Session, Source, Stream
from memory.vocabulary import Action, EventType

# What puts the words of several conversations into one text without a decision that tells which are whose.
COMBINED = ("merge", "consolidate", "split", "redistil")
# More than anybody asks for of one stream.
MOST_DISTILLATIONS = 10_000
AGAIN = "What it was learned with was erased."


def forget_stream(stream_name: str, actor: str) -> dict[str, int]:
    """Forget what was learned from a stream; returns how many rows went, by table.

    What an experience took over from here into a text that rests on other conversations too cannot be cut out of it:
    such an experience is deleted as well, and the worker reads the other conversations again. What had become part of
    it, or had been superseded by it, holds again.
    """
    sql.run("lock_memory", {})  # what the worker is about to write down is there then, or finds nothing to do
    Session.objects.select_for_update().filter(pk=stream_name).first()  # and so does a task that is being packed
    rested = set(Source.objects.filter(stream_name=stream_name).values_list("experience_id", flat=True))
    elsewhere = Source.objects.filter(experience_id__in=rested).exclude(stream_name=stream_name)
    shared = set(elsewhere.values_list("experience_id", flat=True))
    kept = {each for each in shared if not _took_over(each, stream_name)}
    distillations = Distillation.objects.filter(stream_name=stream_name)
    drafts = set(
        Decision.objects.filter(distillation__in=distillations)
        .exclude(experience=None)
        .values_list("experience_id", flat=True)
    )
    gone = sorted((rested | (drafts - shared)) - kept)
    others = set(elsewhere.filter(experience_id__in=gone).values_list("distillation_id", flat=True))
    lineage.let_go(gone, actor)
    rows = distilled.remove(gone)
    rows |= lineage.forget_told([*gone, *_evicted(stream_name)])
    rows["deletions"] = deletions.forget(stream_name=stream_name)
    rows["sources"] += Source.objects.filter(stream_name=stream_name).delete()[0]
    rows["queue_items"] += queue.forget(list(distillations.values_list("pk", flat=True)))
    rows["decisions"] += Decision.objects.filter(distillation__in=distillations).delete()[0]
    rows["distillations"] = distillations.delete()[0]
    _read_again(sorted(others), actor)
    return rows


def forget_user(user_id: str, actor: str) -> dict[str, int]:
    """Forget what was learned from a user's streams, and what belongs to the user alone; returns how many rows went."""
    rows: Counter[str] = Counter()
    sessions = Session.objects.filter(user_id=user_id).values_list("pk", flat=True)
    streams = Stream.objects.filter(user_id=user_id).values_list("name", flat=True)
    for name in sorted({*sessions, *streams}):
        rows.update(forget_stream(name, actor))
    own = Experience.objects.owned_by(user_id) if user_id else Experience.objects.none()
    gone = list(own.order_by("pk").values_list("pk", flat=True))
    rows.update(distilled.remove(gone))
    rows.update(lineage.forget_told(gone))
    rows["deletions"] += deletions.forget(user_id=user_id) if user_id else 0
    return dict(rows)


def _evicted(stream_name: str) -> list[str]:
    """What was learned from a stream and is not there any more, as the stream itself tells: it may have been recalled
    elsewhere before it was evicted."""
    stream = Stream.objects.filter(name=stream_name).first()
    if stream is None:
        return []
    told = history.of_types(stream, [EventType.MEMORY_DISTILLED], MOST_DISTILLATIONS)
    listed = [event.payload.get("experiences") for event in told]
    ids = {each for learned in listed if isinstance(learned, list) for each in learned if isinstance(each, str)}
    return sorted(ids - Experience.objects.by_id(ids).keys())


def _took_over(experience_id: str, stream_name: str) -> bool:
    """Whether a decision about this stream's messages made or changed the experience's text, or its text was put
    together of others' without one."""
    told = Decision.objects.filter(experience_id=experience_id, distillation__stream_name=stream_name)
    combined = Revision.objects.filter(experience_id=experience_id, change__in=COMBINED)
    undecided = combined.exclude(actor__startswith=distilled.DISTILLER)
    return told.exclude(action=Action.DISCARD).exists() or any(_has_new_text(each) for each in undecided)


def _has_new_text(revision: Revision) -> bool:
    before = revision.before or {}
    return any(before.get(name) != revision.after[name] for name in ("problem", "solution"))


def _read_again(distillation_ids: Sequence[str], actor: str) -> None:
    for each in Distillation.objects.filter(pk__in=distillation_ids, draft=False).order_by("pk"):
        requests.again(each, AGAIN, actor)
