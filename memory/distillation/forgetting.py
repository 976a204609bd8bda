"""What was derived from a conversation goes with it: an experience that rests on nothing else is deleted, one that
rests on others too loses these sources. Needs a tenant's scope."""

from collections import Counter

from memory import queue
from memory.layers import distilled
from memory.models import Decision, Distillation, Experience, Session, Source, Stream


def forget_stream(stream_name: str) -> dict[str, int]:
    """Forget what was learned from a stream; returns how many rows went, by table.

    What an experience took over from here into a text that rests on other conversations too cannot be cut out of it:
    such an experience is deleted as well if it was ever merged, so that nothing of what is erased stays.
    """
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
    rows = distilled.remove(sorted((rested | (drafts - shared)) - kept))
    rows["sources"] += Source.objects.filter(stream_name=stream_name).delete()[0]
    rows["queue_items"] += queue.forget(list(distillations.values_list("pk", flat=True)))
    rows["decisions"] += Decision.objects.filter(distillation__in=distillations).delete()[0]
    rows["distillations"] = distillations.delete()[0]
    return rows


def forget_user(user_id: str) -> dict[str, int]:
    """Forget what was learned from a user's streams, and what belongs to the user alone; returns how many rows went."""
    rows: Counter[str] = Counter()
    sessions = Session.objects.filter(user_id=user_id).values_list("pk", flat=True)
    streams = Stream.objects.filter(user_id=user_id).values_list("name", flat=True)
    for name in sorted({*sessions, *streams}):
        rows.update(forget_stream(name))
    own = Experience.objects.owned_by(user_id) if user_id else Experience.objects.none()
    rows.update(distilled.remove(list(own.order_by("pk").values_list("pk", flat=True))))
    return dict(rows)


def _took_over(experience_id: str, stream_name: str) -> bool:
    """Whether a decision about this stream's messages made or changed the experience's text."""
    told = Decision.objects.filter(experience_id=experience_id, distillation__stream_name=stream_name)
    return told.exclude(action="discard").exists()
