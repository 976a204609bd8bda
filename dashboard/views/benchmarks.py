"""What was measured of aresweb, beside what this tenant's own contexts saved."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from dashboard import benchmarks as measured
from dashboard import savings as shown
from dashboard.access import member_required
from dashboard.charts.benchmarks import saved_by_day
from memory.tokens import savings
from memory.tokens.savings import By, Filters


@member_required
def benchmarks(request: HttpRequest) -> HttpResponse:
    """The newest result of each benchmark."""
    filters = Filters(kind="context")
    context = {
        "measured": measured.read(measured.FOLDER),
        "whole": shown.whole(savings.totals(filters), filters),
        "live": saved_by_day(savings.rows(By.DAY, filters)),
    }
    return render(request, "dashboard/savings/benchmarks.html", context)
