"""Who may look: a person who is logged in and a member of the tenant that is shown."""

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

from memory.errors import Damaged, NotFound
from memory.models import Membership, User
from memory.tenancy import tenant_scope
from memory.vocabulary import Role

logger = logging.getLogger(__name__)

SESSION_TENANT = "tenant"

View = Callable[..., HttpResponseBase]


class MemberRequest(HttpRequest):
    """A request of a member: `membership` is the one in the tenant that is shown, `memberships` are all."""

    membership: Membership
    memberships: list[Membership]


def admin_required(view: View) -> View:
    """As `member_required`, for admins of the tenant alone."""

    @member_required
    @wraps(view)
    def guarded(request: MemberRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        if not is_admin(request):
            raise PermissionDenied
        return view(request, *args, **kwargs)

    return guarded


def is_admin(request: HttpRequest) -> bool:
    """Whether the viewer is an admin of the tenant that is shown."""
    membership = getattr(request, "membership", None)
    return membership is not None and membership.is_at_least(Role.ADMIN)


def find_membership(request: Any) -> bool:
    """Give the request its memberships, and the one in the tenant that is shown; whether there is any."""
    request.memberships = Membership.objects.of(request.user)
    chosen = request.session.get(SESSION_TENANT)
    if request.memberships:
        request.membership = next(
            (member for member in request.memberships if member.tenant.slug == chosen), request.memberships[0]
        )
    return bool(request.memberships)


def is_still_member(request: MemberRequest) -> bool:
    """Whether the log-in of a request that takes long still holds, and the membership with it."""
    now = HttpRequest()
    now.session = SessionStore(request.session.session_key)
    user = get_user(now)
    return isinstance(user, User) and any(member.pk == request.membership.pk for member in Membership.objects.of(user))


def member_required(view: View) -> View:
    """Runs the view inside the scope of the viewer's tenant. Its response must be complete when it returns."""

    @login_required
    @wraps(view)
    def guarded(request: Any, *args: Any, **kwargs: Any) -> HttpResponseBase:
        if not find_membership(request):
            return render(request, "dashboard/errors/403.html", {"reason": "no-tenant"}, status=403)
        try:
            with tenant_scope(request.membership.tenant_id):
                response = view(request, *args, **kwargs)
        except NotFound as error:
            raise Http404(error.detail) from error
        except Damaged as error:
            logger.exception("What is recorded in tenant %s is damaged", request.membership.tenant.slug)
            return render(request, "dashboard/errors/damaged.html", {"detail": error.detail}, status=500)
        # One address gives a page or a fragment of it: Back must not find the other one in the browser's cache.
        patch_vary_headers(response, ["HX-Request"])
        return response

    return guarded


def role_required(role: Role) -> Callable[[View], View]:
    """As `member_required`, for members of at least this role; others are told that they may not."""

    def decorate(view: View) -> View:
        @member_required
        @wraps(view)
        def guarded(request: Any, *args: Any, **kwargs: Any) -> HttpResponseBase:
            if not request.membership.is_at_least(role):
                raise PermissionDenied
            return view(request, *args, **kwargs)

        return guarded

    return decorate
