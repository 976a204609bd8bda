"""What was derived from a conversation goes with it: an experience that rests on nothing else is deleted, one that
rests on others too loses these sources. Needs a tenant's scope."""

from collections import Counter
from datetime import UTC, datetime

from memory import queue
from memory.layers import distilled, revisions
from memory.models import Decision, Distillation, Experience, IdempotencyKey, Revision, Session, Source, Stream
from memory.vocabulary import EXPERIENCE_PREFIX, ExperienceStatus

# What puts the words of several conversations into one text without a decision that tells which are whose.
COMBINED = ("merge", "consolidate", "split", "redistil")
ACTOR = "system:forgetting"


def forget_stream(stream_name: str) -> dict[str, int]:
    """Forget what was learned from a stream; returns how many rows went, by table.

    What an experience took over from here into a text that rests on other conversations too cannot be cut out of it:
    such an experience is deleted as well if it was ever merged, so that nothing of what is erased stays. Those that
    were merged into it and rest on other conversations alone are given back.
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
    gone = (rested | (drafts - shared)) - kept
    members = Experience.objects.filter(abstraction_id__in=gone, status=ExperienceStatus.ARCHIVED).exclude(pk__in=gone)
    left = sorted(members.values_list("pk", flat=True))
    rows = distilled.remove(sorted(gone))
    for member in left:
        back = {"status": ExperienceStatus.ACTIVE}
        reason = "What it was merged into was forgotten with a conversation."
        revisions.change(distilled.lock(member), back, "restore", ACTOR, reason, datetime.now(UTC))
    if gone:  # answers are kept for retries alone: those that told of experiences may go rather too many than too few
        rows["idempotency_keys"] = IdempotencyKey.objects.filter(answer__contains=f'"{EXPERIENCE_PREFIX}').delete()[0]
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
    """Whether a decision about this stream's messages made or changed the experience's text, or its text was put
    together of others' without one."""
    told = Decision.objects.filter(experience_id=experience_id, distillation__stream_name=stream_name)
    combined = Revision.objects.filter(experience_id=experience_id, change__in=COMBINED)
    undecided = combined.exclude(actor__startswith="distillation:")
    return told.exclude(action="discard").exists() or any(_has_new_text(each) for each in undecided)


def _has_new_text(revision: Revision) -> bool:
    before = revision.before or {}
    return any(before.get(name) != revision.after[name] for name in ("problem", "solution"))
