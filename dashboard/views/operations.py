"""Operations: queues, dead letters, services and schedules; dead letters are tried again here."""

from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.http import require_POST

from dashboard import operations as page
from dashboard.access import member_required, role_required
from memory import jobs, worker
from memory.vocabulary import Queue, Role


@member_required
def operations(request: HttpRequest) -> HttpResponse:
    """The page; for HTMX, the part of it that changes."""
    template = "dashboard/operations.html"
    if request.headers.get("HX-Request"):
        template += "#live"
    return render(request, template, page.context(timezone.now()))


@require_POST
@role_required(Role.OPERATOR)
def retry_work(request: Any) -> HttpResponseBase:
    """Try dead letters again: the ones that are named, or all."""
    named = [each for each in request.POST.getlist("item") if each.isascii() and each.isdecimal() and len(each) < 19]
    chosen = [int(each) for each in named]
    count = worker.retry(None if request.POST.get("all") else chosen)
    for which in Queue:
        jobs.enqueue(jobs.work_queue, request.membership.tenant_id, str(which))
    if count:
        messages.success(request, f"{count:,} piece{'s' * (count > 1)} of work will be tried again.")
    else:
        messages.info(request, "There was nothing to try again.")
    return redirect("dashboard:operations")
