"""What every view of the API has in common: one tenant, one transaction, and idempotency."""

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any, cast

from django.http import HttpResponseBase
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from memory.api import idempotency
from memory.errors import Invalid
from memory.models import ApiKey
from memory.tenancy import tenant_scope


class TenantView(APIView):
    """A view whose handler runs inside the scope and transaction of the key's tenant: it sees and writes nothing else,
    and an error leaves nothing behind."""

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        super().initial(request, *args, **kwargs)
        method = (request.method or "").lower()
        handler = getattr(self, method, None)
        if handler is not None:
            setattr(self, method, _scoped(handler))


def _scoped(handler: Callable[..., Response]) -> Callable[..., HttpResponseBase]:
    def scoped(request: Request, *args: Any, **kwargs: Any) -> HttpResponseBase:
        once = request.method == "POST" and idempotency.HEADER in request.headers
        if once:
            _ = request._request.body  # kept, for the digest: the parser would use it up
        key = cast(ApiKey, request.auth)
        with tenant_scope(key.tenant_id):
            key.note_use(datetime.now(UTC))
            if once:
                return idempotency.answer_once(request, lambda: handler(request, *args, **kwargs))
            return handler(request, *args, **kwargs)

    return scoped


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
