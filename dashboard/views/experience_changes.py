"""What an operator does with an experience: at once where nothing is lost by it, after a page of its own otherwise."""

from collections.abc import Mapping
from http import HTTPStatus
from typing import Any

from django.contrib import messages
from django.db import transaction
from django.http import Http404, HttpResponse, HttpResponseBase
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods

from dashboard import change_forms, change_page, changes
from dashboard.access import permitted
from dashboard.actor import actor, notify
from dashboard.changes import Verb
from memory.errors import Conflict, Invalid
from memory.models import Experience
from memory.permissions import Permission
from memory.vocabulary import Queue

QUARANTINE = "quarantine"


@require_http_methods(["GET", "HEAD", "POST"])
@permitted(Permission.EDIT)
def experience_change(request: Any, experience_id: str, change: str) -> HttpResponseBase:
    """The page of a change that has one, and every change itself. What was typed is never lost by an error."""
    verb = changes.VERBS.get(change)
    if verb is None:
        raise Http404
    experience = Experience.objects.with_id(experience_id)
    if request.method != "POST":
        if not verb.has_page or not changes.is_offered(verb, experience):
            return redirect("dashboard:experience", experience_id)
        return _page(request, verb, experience, change_page.opened(experience, request.GET.dict()))
    try:
        with transaction.atomic():
            change_forms.apply(verb.name, experience, request.POST.dict(), actor(request))
    except (Invalid, Conflict) as error:
        return _refused(request, verb, experience, error)
    notify(request.membership.tenant_id, Queue.EMBEDDING)
    messages.success(request, verb.done)
    if verb.name == "delete":
        return redirect("dashboard:experiences")
    if request.POST.get("back") == QUARANTINE:
        return redirect("dashboard:quarantine")
    return redirect("dashboard:experience", experience_id)


def _refused(request: Any, verb: Verb, experience: Experience, error: Invalid | Conflict) -> HttpResponseBase:
    if not verb.has_page:
        messages.error(request, error.detail)
        return redirect("dashboard:experience", experience.pk)
    typed = request.POST.dict()
    status = HTTPStatus.CONFLICT if isinstance(error, Conflict) else HTTPStatus.UNPROCESSABLE_ENTITY
    context = {
        **change_page.opened(experience, typed),
        **change_page.typed(typed),
        "error": error.detail,
        "is_stale": status == HTTPStatus.CONFLICT,
    }
    return _page(request, verb, experience, context, status)


def _page(
    request: Any, verb: Verb, experience: Experience, context: Mapping[str, Any], status: int = HTTPStatus.OK
) -> HttpResponse:
    whole = {"verb": verb, "experience": experience, **context}
    return render(request, "dashboard/experiences/change.html", whole, status=status)
