"""What belongs to no tenant: people, their log-ins, tenants' names, models and schedules."""

from typing import Any

from allauth.mfa.models import Authenticator
from allauth.usersessions.models import UserSession
from django.contrib import admin
from django.db.models import Model
from django.http import HttpRequest
from django_q.models import Schedule

from aresweb.administration import administration
from aresweb.administration.rows import ReadOnly
from memory.models import EmbeddingModel, Tenant, User


@admin.register(User, site=administration)
class UserAdmin(ReadOnly):
    """People. They come by invitation or `create_admin`; here they are renamed, closed, and made administrators."""

    list_display = ("email", "name", "is_active", "is_superuser", "last_login", "created_at")
    list_filter = ("is_active", "is_superuser")
    search_fields = ("email", "name")
    ordering = ("email",)
    hidden = ("password", "is_staff")
    open_fields = ("name", "is_active", "is_superuser")

    def get_readonly_fields(self, request: HttpRequest, obj: Model | None = None) -> list[str]:
        """All but the open ones; one's own account stays what it is, so that an administrator is left."""
        is_own = obj is not None and obj.pk == request.user.pk
        return [name for name in self.get_fields(request, obj) if is_own or name not in self.open_fields]

    def has_change_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        """Administrators."""
        return True

    def save_model(self, request: HttpRequest, obj: User, form: Any, change: bool) -> None:
        """An account that is closed, or has other rights, is logged out everywhere."""
        super().save_model(request, obj, form, change)
        if {"is_active", "is_superuser"} & set(form.changed_data):
            obj.end_sessions()


@admin.register(Tenant, site=administration)
class TenantAdmin(ReadOnly):
    """Tenants by name. Their content is not here."""

    list_display = ("slug", "name", "created_at")
    search_fields = ("slug", "name")
    ordering = ("slug",)
    hidden = ("audit_hash",)


class Endable(ReadOnly):
    """Rows that can be taken away, one by one."""

    def has_delete_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        """Administrators."""
        return True


@admin.register(Authenticator, site=administration)
class AuthenticatorAdmin(Endable):
    """Second steps. Deleting one lets somebody in who has lost the app; secrets are not shown."""

    list_display = ("user", "type", "created_at", "last_used_at")
    list_select_related = ("user",)
    list_filter = ("type",)
    search_fields = ("user__email",)
    ordering = ("-id",)
    hidden = ("data",)


@admin.register(UserSession, site=administration)
class SessionAdmin(Endable):
    """Log-ins of people. Deleting one ends it; its key is not shown."""

    list_display = ("user", "ip", "user_agent", "created_at")
    list_select_related = ("user",)
    search_fields = ("user__email", "ip")
    ordering = ("-id",)
    hidden = ("session_key", "data")

    def delete_model(self, request: HttpRequest, obj: UserSession) -> None:
        """The log-in itself goes, not just the note of it."""
        obj.end()


@admin.register(EmbeddingModel, site=administration)
class EmbeddingModelAdmin(ReadOnly):
    """Embedding models that were measured."""

    list_display = ("name", "dimension", "unrelated", "paraphrased", "measured_at")
    ordering = ("name",)


@admin.register(Schedule, site=administration)
class ScheduleAdmin(ReadOnly):
    """Regular jobs. How they went is told on Operations."""

    list_display = ("name", "minutes", "next_run")
    ordering = ("name",)

    def get_fields(self, request: HttpRequest, obj: Model | None = None) -> list[Any]:
        """Its time alone."""
        return ["name", "func", "minutes", "next_run", "repeats"]
