"""What people deleted is not learned again: digests of what it said are kept, and none of its words. Needs a tenant's
scope.

They go with the conversations that it was learned from, and with the user whose it was.
"""

from datetime import UTC, datetime

from memory.models import Decision, Deletion, Experience, Source


def remember(experience: Experience, actor: str) -> None:
    """Remember what an experience says before it is deleted: its text, and each candidate that became part of it or
    that it made redundant."""
    decided = Decision.objects.filter(experience=experience, distillation__draft=False).exclude(digest=b"")
    said = {bytes(each) for each in decided.values_list("digest", flat=True)} | {bytes(experience.digest)}
    streams = set(Source.objects.filter(experience=experience).values_list("stream_name", flat=True)) or {""}
    rows = [
        Deletion(
            tenant_id=experience.tenant_id,
            digest=digest,
            stream_name=stream,
            user_id=experience.user_id,
            actor=actor,
            created_at=datetime.now(UTC),
        )
        for digest in sorted(said)
        for stream in sorted(streams)
    ]
    Deletion.objects.bulk_create(rows, ignore_conflicts=True)


def was_deleted(digest: bytes) -> bool:
    """Whether somebody deleted what says this."""
    return Deletion.objects.filter(digest=digest).exists()


def forget(**of: str) -> int:
    """Forget the deletions of a `stream_name` or of a `user_id`; returns how many there were."""
    return Deletion.objects.filter(**of).delete()[0]
