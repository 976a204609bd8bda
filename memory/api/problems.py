"""Errors as RFC 9457 problem details. The one place where an error becomes an answer."""

import logging
from http import HTTPStatus
from typing import Any

from django.core.exceptions import PermissionDenied
from django.db import InterfaceError, OperationalError
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from rest_framework.exceptions import APIException

from memory import errors
from memory.api.rendering import encode

CONTENT_TYPE = "application/problem+json"
STATUS: dict[type[errors.AresError], HTTPStatus] = {
    errors.Invalid: HTTPStatus.BAD_REQUEST,
    errors.TooLarge: HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
    errors.Forbidden: HTTPStatus.FORBIDDEN,
    errors.NotFound: HTTPStatus.NOT_FOUND,
    errors.LimitReached: HTTPStatus.TOO_MANY_REQUESTS,
    errors.Gone: HTTPStatus.GONE,
    errors.Conflict: HTTPStatus.CONFLICT,
    errors.KeyReused: HTTPStatus.UNPROCESSABLE_ENTITY,
    errors.Unavailable: HTTPStatus.SERVICE_UNAVAILABLE,
}
RETRY_AFTER_SECONDS = 2

logger = logging.getLogger(__name__)


def handle(error: Exception, context: dict[str, Any]) -> HttpResponseBase:
    """The answer to an error in an API view. What nobody foresaw is logged and answered with 500, without details."""
    path = context["request"].path
    if isinstance(error, errors.AresError):
        return of_error(error, path)
    if isinstance(error, Http404):
        return problem(HTTPStatus.NOT_FOUND, "not-found", "There is no such thing here", str(error), path)
    if isinstance(error, PermissionDenied):
        return problem(HTTPStatus.FORBIDDEN, "forbidden", "This is not allowed", str(error), path)
    if isinstance(error, APIException):
        return _of_framework(error, path)
    if isinstance(error, OperationalError | InterfaceError):
        logger.exception("The database does not answer")
        detail = "The database does not answer. Nothing was lost: try again."
        answer = problem(HTTPStatus.SERVICE_UNAVAILABLE, "unavailable", "The service cannot answer now", detail, path)
        answer["Retry-After"] = str(RETRY_AFTER_SECONDS)
        return answer
    logger.error("Unforeseen error in %s", path, exc_info=error)
    return internal(path)


def of_error(error: errors.AresError, path: str) -> HttpResponse:
    """The answer to an error of the domain."""
    status = next((STATUS[kind] for kind in type(error).__mro__ if kind in STATUS), HTTPStatus.INTERNAL_SERVER_ERROR)
    if status == HTTPStatus.INTERNAL_SERVER_ERROR:  # the fault is on this side: somebody has to look
        logger.error("%s: %s", error.title, error.detail, exc_info=error)
    answer = problem(status, error.code, error.title, error.detail, path, **error.extra)
    if "retry_after" in error.extra:
        answer["Retry-After"] = str(error.extra["retry_after"])
    return answer


def problem(status: HTTPStatus, code: str, title: str, detail: str, path: str, **extra: Any) -> HttpResponse:
    """Problem details: `{type, title, status, detail, instance, …}`."""
    body = {
        "type": f"urn:aresweb:problem:{code}",
        "title": title,
        "status": int(status),
        "detail": detail,
        "instance": path,
        **extra,
    }
    return HttpResponse(encode(body), status=status, content_type=CONTENT_TYPE)


def internal(path: str) -> HttpResponse:
    """The answer where nothing else is known."""
    detail = "An unforeseen error. It has been logged."
    return problem(HTTPStatus.INTERNAL_SERVER_ERROR, "internal", "Something went wrong", detail, path)


def not_found(request: HttpRequest) -> HttpResponse:
    """The answer to an address that does not exist."""
    detail = f"There is nothing at {request.path}. The addresses are listed at /api/docs/."
    return problem(HTTPStatus.NOT_FOUND, "not-found", "There is no such thing here", detail, request.path)


def _of_framework(error: APIException, path: str) -> HttpResponse:
    status = HTTPStatus(error.status_code)
    answer = problem(status, str(error.default_code).replace("_", "-"), status.phrase, str(error.detail), path)
    header = getattr(error, "auth_header", None)
    if header:
        answer["WWW-Authenticate"] = header
    return answer
