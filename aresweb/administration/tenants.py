"""Tables of the tenant whose member the administrator is. Read-only: what may be changed has a page of its own.

Events have a key of three columns, which Django's admin cannot show; the replay shows them.
"""

from typing import Any

from django.contrib import admin
from django.http import HttpRequest

from aresweb.administration import administration
from aresweb.administration.rows import ReadOnly
from memory.models import (
    ApiKey,
    Distillation,
    Experience,
    Invitation,
    Membership,
    QueueItem,
    Segment,
    Session,
    Stream,
    Task,
    Verification,
)


class OfTenant(ReadOnly):
    """Rows of one tenant, that of the scope around the request; nothing outside of one."""

    def has_view_permission(self, request: Any, obj: Any = None) -> bool:
        """Administrators who are members."""
        return getattr(request, "administered", None) is not None

    def has_module_permission(self, request: HttpRequest) -> bool:
        """Administrators who are members."""
        return self.has_view_permission(request)


@admin.register(Stream, site=administration)
class StreamAdmin(OfTenant):
    """Streams: their events are counted in their rows."""

    list_display = ("name", "agent_id", "user_id", "outcome", "version", "last_event_at")
    list_filter = ("outcome",)
    search_fields = ("name", "agent_id")
    ordering = ("-last_event_at",)
    hidden = ("last_hash",)


@admin.register(Segment, site=administration)
class SegmentAdmin(OfTenant):
    """Archived stretches of streams."""

    list_display = ("stream_id", "first_version", "last_version", "stored_bytes", "dropped_at")
    ordering = ("stream_id", "first_version")
    hidden = ("previous_hash", "hashes", "content", "letters")


@admin.register(Session, Task, Experience, Distillation, site=administration)
class ContentAdmin(OfTenant):
    """What agents and the refinery made."""

    list_display = ("id", "created_at")
    ordering = ("-created_at",)
    search_fields = ("id",)
    hidden = ("digest",)


@admin.register(Membership, Invitation, site=administration)
class PeopleAdmin(OfTenant):
    """Members and invitations."""

    list_display = ("id", "role", "created_at")
    ordering = ("-id",)


@admin.register(ApiKey, site=administration)
class ApiKeyAdmin(OfTenant):
    """API keys, without what they are checked against."""

    list_display = ("prefix", "name", "created_at", "expires_at", "revoked_at", "last_used_at")
    search_fields = ("prefix", "name")
    ordering = ("-id",)
    hidden = ("secret_hash",)


@admin.register(QueueItem, Verification, site=administration)
class WorkAdmin(OfTenant):
    """The queue, and what verification found."""

    list_display = ("id", "tenant_id")
    ordering = ("-id",)
    hidden = ("clean_hash",)
