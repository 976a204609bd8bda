"""The pages shown when something is missing, forbidden or broken."""

from http import HTTPStatus

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render


def not_found(request: HttpRequest) -> HttpResponse:
    """The page for an address that does not exist, or not for this viewer."""
    return render(request, "dashboard/errors/404.html", status=HTTPStatus.NOT_FOUND)


def forbidden(request: HttpRequest) -> HttpResponse:
    """The page for what the viewer may not do."""
    return render(request, "dashboard/errors/403.html", status=HTTPStatus.FORBIDDEN)


def too_many(request: HttpRequest) -> HttpResponse:
    """The page for whoever tries too often."""
    response = render(request, "dashboard/errors/429.html", status=HTTPStatus.TOO_MANY_REQUESTS)
    response["Retry-After"] = "60"
    return response


def internal(request: HttpRequest) -> HttpResponse:
    """The page for an unforeseen error; made without the database, which may be the reason."""
    return render(None, "dashboard/errors/500.html", status=HTTPStatus.INTERNAL_SERVER_ERROR)
