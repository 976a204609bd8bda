"""The site: who is let in, and whose rows it sees."""

from collections.abc import Callable
from functools import wraps
from typing import Any

from django.contrib.admin import AdminSite
from django.contrib.auth.views import redirect_to_login
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect
from django.template.response import SimpleTemplateResponse
from django.urls import reverse
from django.utils.decorators import method_decorator
from django.views.decorators.cache import never_cache

from dashboard.access import SESSION_TENANT
from memory.models import Membership
from memory.tenancy import tenant_scope


class Administration(AdminSite):
    """Django's admin behind this project's own log-in.

    An administrator sees the tables of a tenant only as a visible member of it: the site works in the scope of the
    tenant that the dashboard shows, and row-level security keeps everything else out. Without a membership there is no
    scope, and those tables are not listed.
    """

    site_header = site_title = "aresweb: administration"
    index_title = "Administration of the installation"
    site_url = "/"
    enable_nav_sidebar = False

    def has_permission(self, request: HttpRequest) -> bool:
        """Administrators of the installation, and nobody else."""
        return request.user.is_active and request.user.is_superuser

    @method_decorator(never_cache)
    def login(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> HttpResponse:
        """The one log-in of the project, with its second step and its limits, instead of a form of the admin's own."""
        if request.user.is_authenticated:
            raise PermissionDenied
        return redirect_to_login(request.GET.get("next") or reverse("admin:index"))

    def password_change(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> Any:
        """The one page for that, which is limited and tells by mail."""
        return redirect("account_change_password")

    def admin_view(self, view: Any, cacheable: bool = False) -> Any:
        """Every page of the site, in the scope of the administrator's tenant."""
        inner: Callable[..., HttpResponseBase] = super().admin_view(view, cacheable)

        @wraps(view)
        def scoped(request: Any, *args: Any, **kwargs: Any) -> HttpResponseBase:
            if request.user.is_authenticated and not self.has_permission(request):
                raise PermissionDenied
            request.administered = self._membership(request)
            if request.administered is None:
                return inner(request, *args, **kwargs)
            with tenant_scope(request.administered.tenant_id):
                response = inner(request, *args, **kwargs)
                if isinstance(response, SimpleTemplateResponse):
                    response.render()  # rows are read while it is rendered
                return response

        return scoped

    def _membership(self, request: Any) -> Membership | None:
        if not self.has_permission(request):
            return None
        memberships = Membership.objects.of(request.user)
        chosen = request.session.get(SESSION_TENANT)
        return next((one for one in memberships if one.tenant.slug == chosen), memberships[0] if memberships else None)
