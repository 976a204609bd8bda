"""Errors outside of any view: problem details under `/api/`, pages for people elsewhere."""

from django.http import HttpRequest, HttpResponse

from dashboard.views import errors as pages
from memory.api import problems


def not_found(request: HttpRequest, exception: Exception) -> HttpResponse:
    """No such address."""
    return problems.not_found(request) if _is_api(request) else pages.not_found(request)


def forbidden(request: HttpRequest, exception: Exception) -> HttpResponse:
    """Not allowed."""
    return pages.forbidden(request)


def form_too_old(request: HttpRequest, reason: str) -> HttpResponse:
    """A form that was not made by this server for this viewer, or too long ago."""
    return pages.forbidden(request)


def too_many(request: HttpRequest) -> HttpResponse:
    """Too many tries of something that people do, like logging in."""
    return pages.too_many(request)


def internal(request: HttpRequest) -> HttpResponse:
    """An unforeseen error."""
    return problems.internal(request.path) if _is_api(request) else pages.internal(request)


def _is_api(request: HttpRequest) -> bool:
    return request.path.startswith("/api/")
