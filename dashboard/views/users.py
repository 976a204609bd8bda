"""The people whom agents serve, as memory knows them."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from dashboard import profiles
from dashboard.access import member_required


@member_required
def users(request: HttpRequest) -> HttpResponse:
    """The list of users, or the profile of the one that `?user=` names."""
    user_id = request.GET.get("user", "").replace("\x00", "")
    if user_id:
        told = profiles.profile(user_id)
        return render(request, "dashboard/users/profile.html", told | {"run_query": f'user:"{user_id}"'})
    text, after = (request.GET.get(name, "").strip().replace("\x00", "") for name in ("q", "after"))
    return render(request, "dashboard/users/list.html", {"text": text, **profiles.users(text, after)})
