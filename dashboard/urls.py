"""The addresses of the pages."""

from django.urls import path

from dashboard.views import account, agents, archive, crash, integrity, live, overview, replay, retention, runs

app_name = "dashboard"

urlpatterns = [
    path("", overview.overview, name="overview"),
    path("runs/", runs.runs_list, name="runs"),
    path("runs/<str:name>/", replay.run, name="run"),
    path("runs/<str:name>/strip/", replay.run_strip, name="run_strip"),
    path("runs/<str:name>/timeline/", replay.run_timeline, name="run_timeline"),
    path("runs/<str:name>/steps/<int:version>/", replay.run_step, name="run_step"),
    path("runs/<str:name>/steps/<int:version>/payload/", replay.run_payload, name="run_payload"),
    path("runs/<str:name>/live/", live.run_live, name="run_live"),
    path("runs/<str:name>/verification/", integrity.verify_run, name="verify_run"),
    path("integrity/", integrity.integrity, name="integrity"),
    path("runs/<str:name>/crash/", crash.run_crash, name="run_crash"),
    path("agents/", agents.agents_list, name="agents"),
    path("runs/<str:name>/archive/", archive.run_archive, name="run_archive"),
    path("settings/retention/", retention.settings, name="retention"),
    path("login/", account.login, name="login"),
    path("logout/", account.logout, name="logout"),
    path("tenant/", account.switch_tenant, name="switch_tenant"),
]
