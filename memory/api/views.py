"""What every view of the API has in common: who may, one tenant, one transaction, limits, and idempotency."""

from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import Any, ClassVar, cast

from django.http import HttpResponseBase
from rest_framework.exceptions import APIException
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from memory import allowance, audit, permissions
from memory.api import binding, idempotency, turns
from memory.api.front_door import actor_of
from memory.api.limits import declared_length
from memory.errors import AresError, Forbidden, Invalid, Suspended
from memory.models import ApiKey
from memory.permissions import RULES, Permission
from memory.tenancy import tenant_scope


class TenantView(APIView):
    """A view whose handler runs inside the scope and transaction of the key's tenant: it sees and writes nothing else,
    and an error leaves nothing behind.

    `permissions` says for each method what a key must be permitted. `narrows` says of a view of a whole collection that
    it shows keys that speak for one agent or user only what is that one's.
    """

    permissions: ClassVar[Mapping[str, Permission]]
    narrows: ClassVar[bool] = False

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        super().initial(request, *args, **kwargs)
        method = request.method or ""
        handler = getattr(self, method.lower(), None)
        if handler is None or method == "OPTIONS":
            return
        needed = self.permissions["GET" if method == "HEAD" else method]
        _check(cast(ApiKey, request.auth), needed)
        setattr(self, method.lower(), _scoped(self, handler, needed))

    def events_in(self, request: Request) -> int:
        """How many events a request is about to record, as far as its client decides that."""
        return 1


def _check(key: ApiKey, needed: Permission) -> None:
    if key.is_suspended:
        raise Suspended("The tenant is suspended. Nothing of it is lost: it goes on when an administrator resumes it.")
    if not permissions.may_scopes(key.scopes, needed):
        scope = RULES[needed].scope
        raise Forbidden(f"This key has not the scope {scope}, which it takes: {RULES[needed].meaning}.", scope=scope)


def _scoped(view: TenantView, handler: Callable[..., Response], needed: Permission) -> Callable[..., HttpResponseBase]:
    def scoped(request: Request, *args: Any, **kwargs: Any) -> HttpResponseBase:
        key = cast(ApiKey, request.auth)
        allowance.admit(key, declared_length(request._request))
        once = request.method == "POST" and idempotency.HEADER in request.headers
        if once:
            _ = request._request.body  # kept, for the digest: the parser would use it up
        unreadable = _take_events(view, request, key) if needed == Permission.RECORD else None
        with turns.turn(key.tenant_id), tenant_scope(key.tenant_id):
            address = audit.address_of(request.META)
            is_elsewhere = key.note_use(datetime.now(UTC), address)
            binding.check_collection(key, narrows=view.narrows or bool(kwargs))
            binding.check_address(key, kwargs)

            def carry_out() -> Response:
                if unreadable:
                    raise unreadable  # here, where the handler would have found it
                return handler(request, *args, **kwargs)

            response = idempotency.answer_once(request, carry_out) if once else carry_out()
            if request.method not in ("GET", "HEAD") and RULES[needed].is_kept:
                _keep(request, view, kwargs, address)
            if is_elsewhere:
                audit.record(actor_of(request), "key.used-elsewhere", str(key), address, before=key.last_used_from)
            return response

    return scoped


def _take_events(view: TenantView, request: Request, key: ApiKey) -> AresError | APIException | None:
    """Take what the request is about to record, before it begins to; returns what is wrong with its body, if anything.

    Raises:
        LimitReached: so much may not be recorded now.
    """
    events, unreadable = 1, None
    try:
        events = view.events_in(request)
    except (AresError, APIException) as error:
        unreadable = error
    allowance.take_events(key, events)
    return unreadable


def _keep(request: Request, view: TenantView, names: Mapping[str, str], address: str) -> None:
    """Keep in the audit log what was changed; of a user who was erased, the digest of the name alone."""
    subject = " / ".join(audit.digest_of(value) if name == "user_id" else str(value) for name, value in names.items())
    action = f"{(request.method or '').lower()} {type(view).__name__.removesuffix('View').lower()}"
    audit.record(actor_of(request), action, subject, address)


def body_object(request: Request, fields: set[str]) -> dict[str, Any]:
    """The body, which must be an object with no other fields than these.

    Raises:
        Invalid: it is not.
    """
    body: Any = request.data
    if not isinstance(body, dict):
        raise Invalid("The body must be a JSON object.")
    unknown = ", ".join(sorted(map(repr, body.keys() - fields)))
    if unknown:
        raise Invalid(f"The body has unknown fields: {unknown[:500]}. There are: {', '.join(sorted(fields))}.")
    return body


def whole_number(request: Request, name: str, default: int, least: int, most: int) -> int:
    """A whole number from the query.

    Raises:
        Invalid: it is none, or out of bounds.
    """
    text = request.query_params.get(name)
    if text is None:
        return default
    if not (text.isascii() and text.isdecimal() and len(text) < 20 and least <= int(text) <= most):
        raise Invalid(f"{name} must be a whole number from {least} to {most}.")
    return int(text)
