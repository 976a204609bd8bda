"""What an operator does with distillations: asks for one, tries other rules, accepts or drops what came of that."""

from collections.abc import Mapping
from http import HTTPStatus
from typing import Any

from django.contrib import messages
from django.db import transaction
from django.http import Http404, HttpResponse, HttpResponseBase
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.http import require_http_methods, require_POST

from dashboard import distillations, drafts, runs
from dashboard.access import permitted
from dashboard.actor import actor, manager, notify
from memory.distillation import redistil, requests
from memory.errors import Conflict, Invalid
from memory.models import Distillation, Stream
from memory.permissions import Permission
from memory.vocabulary import Queue

ACCEPT, DROP, RETRY = "accept", "drop", "retry"


@require_POST
@permitted(Permission.OPERATE)
def run_distillations(request: Any, name: str) -> HttpResponseBase:
    """Have the session of a run distilled by the worker; its page shows what comes of it."""
    made = manager(request).distill_session(name)
    return redirect("dashboard:distillation", made.pk)


@require_http_methods(["GET", "HEAD", "POST"])
@permitted(Permission.OPERATE)
def run_drafts(request: Any, name: str) -> HttpResponseBase:
    """Try other rules on a run: what comes of it is a draft, which nobody is given until it is accepted."""
    stream = Stream.objects.named(name)
    if request.method != "POST":
        return _try(request, stream, drafts.fields())
    typed = request.POST.dict()
    try:
        made = redistil.start(stream, drafts.rules(typed), actor(request))
    except Invalid as error:
        return _try(request, stream, drafts.fields(typed), error.detail, HTTPStatus.UNPROCESSABLE_ENTITY)
    notify(request.membership.tenant_id, Queue.DISTILLATION)
    return redirect("dashboard:distillation", made.pk)


@require_http_methods(["GET", "HEAD", "POST"])
@permitted(Permission.EDIT)
def distillation_change(request: Any, distillation_id: str, change: str) -> HttpResponseBase:
    """Accept or drop a draft, after a page that says what that will change; or try a failed distillation again."""
    found = Distillation.objects.with_id(distillation_id)
    if change not in (ACCEPT, DROP, RETRY):
        raise Http404
    if request.method != "POST":
        return _ask(request, found, change)
    try:
        with transaction.atomic():
            _do(request, found, change)
    except (Invalid, Conflict) as error:
        messages.error(request, error.detail)
        return redirect("dashboard:distillation", distillation_id)
    return (
        redirect("dashboard:distillations") if change == DROP else redirect("dashboard:distillation", distillation_id)
    )


def _do(request: Any, found: Distillation, change: str) -> None:
    if change == ACCEPT:
        told = redistil.accept(found, actor(request))
        counts = f"{len(told.added)} added, {len(told.changed)} changed, {len(told.gone)} archived"
        messages.success(request, f"The draft is accepted: {counts}.")
        notify(request.membership.tenant_id, Queue.EMBEDDING)
    elif change == DROP:
        redistil.drop(found)
        messages.success(request, "The draft is dropped. What is known stays as it was.")
    else:
        requests.retry(found)
        notify(request.membership.tenant_id, Queue.DISTILLATION)


def _ask(request: Any, found: Distillation, change: str) -> HttpResponseBase:
    if change == RETRY or not drafts.is_ready(found):
        return redirect("dashboard:distillation", found.pk)
    [shown] = distillations.shown([found], timezone.now())
    context = {"shown": shown, "change": change, "difference": drafts.difference(found)}
    return render(request, "dashboard/distillations/change.html", context)


def _try(
    request: Any, stream: Stream, fields: list[Mapping[str, Any]], error: str = "", status: int = HTTPStatus.OK
) -> HttpResponse:
    context = {"run": runs.of(stream), "fields": fields, "error": error}
    return render(request, "dashboard/distillations/try.html", context, status=status)
