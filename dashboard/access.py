"""Who may look and who may change: what a page asks for is looked up in `memory.permissions`, here alone.

Every view says by `permitted` what is needed to see it and to send something to it, or by `public` that anybody may.
"""

import logging
from collections.abc import Callable
from functools import wraps
from typing import Any

from django.contrib.auth import get_user
from django.contrib.auth.decorators import login_required
from django.contrib.sessions.backends.db import SessionStore
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponseBase
from django.shortcuts import render
from django.utils.cache import patch_vary_headers

from dashboard import changed
from memory import permissions
from memory.errors import Damaged, NotFound
from memory.models import Membership, User
from memory.permissions import RULES, Permission
from memory.tenancy import tenant_scope
from memory.vocabulary import Role

logger = logging.getLogger(__name__)

SESSION_TENANT = "tenant"
SAFE = frozenset({"GET", "HEAD", "OPTIONS"})

View = Callable[..., HttpResponseBase]


class MemberRequest(HttpRequest):
    """A request of a member: `membership` is the one in the tenant that is shown, `memberships` are all."""

    membership: Membership
    memberships: list[Membership]


def permitted(permission: Permission, change: Permission | None = None) -> Callable[[View], View]:
    """Only members who may do this run the view, in the scope of their tenant; its response must be complete when it
    returns. What they change is kept in the audit log.

    Args:
        change: what is needed to send something, where it is not the same.
    """

    def decorate(view: View) -> View:
        inside = _in_installation if RULES[permission].for_installation else _in_tenant

        @login_required
        @wraps(view)
        def guarded(request: Any, *args: Any, **kwargs: Any) -> HttpResponseBase:
            needed = permission if request.method in SAFE else change or permission
            response = inside(view, needed, request, *args, **kwargs)
            # One address gives a page or a fragment of it: Back must not find the other one in the browser's cache.
            patch_vary_headers(response, ["HX-Request"])
            return response

        guarded.permissions = (permission, change or permission)  # type: ignore[attr-defined]
        return guarded

    return decorate


# What most pages are: every member sees them.
member_required = permitted(Permission.SEE)


def public(view: View) -> View:
    """A page for everybody, such as the one to log in."""

    @wraps(view)
    def open_to_all(*args: Any, **kwargs: Any) -> HttpResponseBase:
        return view(*args, **kwargs)

    open_to_all.permissions = ()  # type: ignore[attr-defined]
    return open_to_all


def personal(view: View) -> View:
    """A page of somebody's own, about nobody else: for whoever is logged in, a member of a tenant or not."""

    @login_required
    @wraps(view)
    def guarded(request: Any, *args: Any, **kwargs: Any) -> HttpResponseBase:
        _find_memberships(request)
        return view(request, *args, **kwargs)

    guarded.permissions, guarded.is_personal = (), True  # type: ignore[attr-defined]
    return guarded


def is_still_member(request: MemberRequest) -> bool:
    """Whether the log-in of a request that takes long still holds, and the membership with it."""
    now = HttpRequest()
    now.session = SessionStore(request.session.session_key)
    user = get_user(now)
    return isinstance(user, User) and any(member.pk == request.membership.pk for member in Membership.objects.of(user))


def may(request: HttpRequest, permission: Permission) -> bool:
    """Whether the viewer may do this in the tenant that is shown, as things are."""
    membership = getattr(request, "membership", None)
    if RULES[permission].for_installation:
        return bool(getattr(getattr(request, "user", None), "is_superuser", False))
    return membership is not None and permissions.may_role(membership.role, permission)


def _in_tenant(view: View, needed: Permission, request: Any, *args: Any, **kwargs: Any) -> HttpResponseBase:
    if not _find_memberships(request):
        return render(request, "dashboard/errors/403.html", {"reason": "no-tenant"}, status=403)
    if not may(request, needed):
        raise PermissionDenied
    if request.membership.tenant.suspended_at and not _stays(request, needed):
        return render(request, "dashboard/errors/403.html", {"reason": "suspended"}, status=403)
    try:
        with tenant_scope(request.membership.tenant_id):
            response = view(request, *args, **kwargs)
            changed.keep(request, response, needed)
    except NotFound as error:
        raise Http404(error.detail) from error
    except Damaged as error:
        logger.exception("What is recorded in tenant %s is damaged", request.membership.tenant.slug)
        return render(request, "dashboard/errors/damaged.html", {"detail": error.detail}, status=500)
    return response


def _in_installation(view: View, needed: Permission, request: Any, *args: Any, **kwargs: Any) -> HttpResponseBase:
    """Outside of any tenant. What is done to one, the view keeps in that one's audit log."""
    if not may(request, needed):
        raise PermissionDenied
    _find_memberships(request)
    try:
        return view(request, *args, **kwargs)
    except NotFound as error:
        raise Http404(error.detail) from error


def _find_memberships(request: Any) -> bool:
    """Give the request its memberships, and the one in the tenant that the viewer has chosen or else in the first;
    whether there is any."""
    request.memberships = Membership.objects.of(request.user)
    chosen = request.session.get(SESSION_TENANT)
    if request.memberships:
        request.membership = next(
            (member for member in request.memberships if member.tenant.slug == chosen), request.memberships[0]
        )
    return bool(request.memberships)


def _stays(request: Any, needed: Permission) -> bool:
    """Whether it can be done while the tenant is suspended: its admins look, and everybody goes to another tenant."""
    if request.method in SAFE:
        return bool(request.membership.is_at_least(Role.ADMIN))
    return bool(request.resolver_match and request.resolver_match.url_name == "switch_tenant")
