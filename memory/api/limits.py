"""What is refused by its size, before any of it is read."""

from collections.abc import Callable
from http import HTTPStatus

from django.http import HttpRequest, HttpResponse

from memory import conf, errors
from memory.api import problems


class BodyLimitMiddleware:
    """Refuses bodies over ARES_MAX_BODY_BYTES, and those that do not say how long they are."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        limit = conf.value("ARES_MAX_BODY_BYTES")
        length = request.META.get("CONTENT_LENGTH") or ""
        if length.isdecimal() and int(length) > limit:
            error = errors.TooLarge(f"The body has {length} bytes; at most {limit} are taken.", limit=limit)
            return problems.of_error(error, request.path)
        if not length and "chunked" in request.META.get("HTTP_TRANSFER_ENCODING", "").lower():
            detail = "Send the body with a Content-Length."
            return problems.problem(HTTPStatus.LENGTH_REQUIRED, "length-required", "No length", detail, request.path)
        return self.get_response(request)
