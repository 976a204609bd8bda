"""Idempotency-Key: the same request sent again gets the first one's answer and writes nothing.

The key is claimed in the transaction of the write itself. A repetition that arrives meanwhile waits for it; if the
first request fails, nothing of it remains, the key neither, and the repetition is carried out.
"""

import hashlib
from collections.abc import Callable
from typing import cast

from django.http import HttpResponse
from rest_framework.request import Request
from rest_framework.response import Response

from memory.api.rendering import encode
from memory.errors import KeyReused, Unavailable
from memory.events.draft import identifier
from memory.models import ApiKey, IdempotencyKey
from memory.tenancy import current_tenant_id

HEADER = "Idempotency-Key"


def answer_once(request: Request, carry_out: Callable[[], Response]) -> Response | HttpResponse:
    """The answer of `carry_out`, or the one that was given to this request before. Needs a tenant's scope.

    Raises:
        Invalid: the key is not 1 to 200 visible ASCII characters.
        KeyReused: the key belongs to another request.
    """
    key = identifier(request.headers[HEADER], HEADER)
    digest = _digest(request)
    tenant_id = current_tenant_id()
    claim = IdempotencyKey(tenant_id=tenant_id, key=key, request_digest=digest)
    IdempotencyKey.objects.bulk_create([claim], ignore_conflicts=True)
    kept = IdempotencyKey.objects.select_for_update().filter(key=key).first()
    if kept is None:  # its time was over in between
        raise Unavailable(f"{HEADER} {key} was just forgotten: send the request again.")
    if bytes(kept.request_digest) != digest:
        raise KeyReused(f"{HEADER} {key} was used for another request.", key=key)
    if kept.status is not None:
        replayed = HttpResponse(kept.answer, status=kept.status, content_type="application/json")
        replayed["Idempotency-Replayed"] = "true"
        return replayed
    response = carry_out()
    kept.status, kept.answer = response.status_code, encode(response.data).decode()
    kept.save(update_fields=["status", "answer"])
    return response


def _digest(request: Request) -> bytes:
    """SHA-256 over method, path with query, the body as it was sent, and whom the key speaks for: an answer is given
    again to nobody who would not have got it."""
    content = request._request.body
    key = cast(ApiKey, request.auth)
    bound = f"{key.agent_id}\0{key.user_id}\n" if key.is_bound else ""
    head = f"{bound}{request.method} {request.get_full_path()}\n".encode()
    return hashlib.sha256(head + content).digest()
