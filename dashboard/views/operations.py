"""Operations: how the work in the background stands, and another try for what was given up."""

from collections import Counter
from datetime import UTC, datetime
from typing import Any

from django.contrib import messages
from django.db import transaction
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_http_methods

from dashboard import operations as shown
from dashboard.access import permitted
from dashboard.actor import notify
from dashboard.listing import listing, whole
from memory import worker
from memory.permissions import Permission
from memory.vocabulary import Queue

# What is to be tried again is shown up to here before it is.
PREVIEWED = 20


@permitted(Permission.OPERATE)
def operations(request: HttpRequest) -> HttpResponse:
    """Queues, dead letters, work in hand, services and schedules. While anything waits, it asks again by itself."""
    now = datetime.now(UTC)
    queues = shown.queues(now)
    dead = listing(shown.dead(), request.GET.dict())
    held = shown.in_hand()
    in_hand = shown.shown(list(held[: shown.MOST_IN_HAND]), now)
    context = {
        "queues": queues,
        "states": shown.STATES,
        "is_empty": not any(number for row in queues for _, number in row.counts),
        "is_under_way": any(row.is_under_way for row in queues),
        "listing": dead,
        "dead": shown.shown(dead.rows, now),
        "in_hand": in_hand,
        "in_hand_more": held.count() - len(in_hand),
        "services": shown.services(),
        "schedules": shown.schedule_rows(),
        "address": reverse("dashboard:operations"),
        "here_url": request.get_full_path(),
    }
    part = "#whole" if request.headers.get("HX-Request") else ""
    return render(request, f"dashboard/operations/page.html{part}", context)


@require_http_methods(["GET", "HEAD", "POST"])
@permitted(Permission.OPERATE)
def retry(request: Any) -> HttpResponseBase:
    """Shows the dead letters that would be tried again, that of `item` or all; by POST they are."""
    given = (request.POST if request.method == "POST" else request.GET).get("item", "")
    item = whole(given, 0) if given else None
    if request.method == "POST":
        with transaction.atomic():
            tried = worker.retry(None if item is None else [item])
        _tell(request, tried)
        return redirect("dashboard:operations")
    dead = shown.dead() if item is None else shown.dead().filter(pk=item)
    total = dead.count()
    if item is not None and not total:
        raise Http404
    if not total:
        return redirect("dashboard:operations")
    context = {
        "item": item,
        "total": total,
        "dead": shown.shown(list(dead[:PREVIEWED]), datetime.now(UTC)),
        "more": total - min(total, PREVIEWED),
    }
    return render(request, "dashboard/operations/retry.html", context)


def _tell(request: Any, tried: Counter[Queue]) -> None:
    for queue in tried:
        notify(request.membership.tenant_id, queue)
    total = tried.total()
    if total:
        messages.success(request, f"{total:,} dead letter{'' if total == 1 else 's'} will be tried again.")
    else:
        messages.info(request, "Nothing was left to try again.")
