"""What is refused by its size, before any of it is read."""

from collections.abc import Callable
from contextlib import suppress
from http import HTTPStatus

from django.http import HttpRequest, HttpResponse
from django.http.request import UnreadablePostError

from memory import conf, errors
from memory.api import problems

# Of a length: more of them are too large in any case, and Python reads no more than 4,300.
MOST_DIGITS = 20
# Of a body that is refused, in bytes. A client that sends more than this may lose the answer.
MOST_DISCARDED = 128 * 2**20
PIECE = 2**16


class BodyLimitMiddleware:
    """Refuses bodies over ARES_MAX_BODY_BYTES, and those that do not say how long they are.

    What a refusal, here or further in, left unread of a body is read and thrown away: most clients send all of it
    before they look for an answer, and would find the connection broken instead.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        length = declared_length(request)
        response = _refusal(request, length) or self.get_response(request)
        if length <= MOST_DISCARDED and "Expect" not in request.headers:  # who expects an answer has sent nothing yet
            _discard_rest(request)
        return response


def declared_length(request: HttpRequest) -> int:
    """How long the body is, as its client says; 0 where it says nothing that could be one."""
    text: str = request.META.get("CONTENT_LENGTH") or ""
    return int(text[:MOST_DIGITS]) if text.isascii() and text.isdecimal() else 0


def _refusal(request: HttpRequest, length: int) -> HttpResponse | None:
    limit = conf.value("ARES_MAX_BODY_BYTES")
    if length > limit:
        error = errors.TooLarge(f"The body has {length} bytes; at most {limit} are taken.", limit=limit)
        return problems.of_error(error, request.path)
    if not request.META.get("CONTENT_LENGTH") and "chunked" in request.META.get("HTTP_TRANSFER_ENCODING", "").lower():
        detail = "Send the body with a Content-Length."
        return problems.problem(HTTPStatus.LENGTH_REQUIRED, "length-required", "No length", detail, request.path)
    return None


def _discard_rest(request: HttpRequest) -> None:
    with suppress(UnreadablePostError):  # the client has gone
        while request.read(PIECE):
            pass
