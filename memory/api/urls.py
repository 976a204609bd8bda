"""The addresses under `/api/v1/`."""

from django.urls import path

from memory.api import agents, events, exports, messages, sessions, streams, tasks, users, verification

urlpatterns = [
    path("sessions", sessions.SessionsView.as_view()),
    path("sessions/<str:session_id>", sessions.SessionView.as_view()),
    path("sessions/<str:session_id>/messages", messages.MessagesView.as_view()),
    path("tasks", tasks.TasksView.as_view()),
    path("tasks/<str:task_id>", tasks.TaskView.as_view()),
    path("streams", streams.StreamsView.as_view()),
    path("streams/<str:stream>/events", events.StreamEventsView.as_view()),
    path("streams/<str:stream>/state", streams.StreamStateView.as_view()),
    path("streams/<str:stream>/verification", verification.VerificationView.as_view()),
    path("streams/<str:stream>/export", exports.ExportView.as_view()),
    path("streams/<str:stream>/fixture", exports.FixtureView.as_view()),
    # An agent's id is its client's, and may hold slashes.
    path("agents", agents.AgentsView.as_view()),
    path("agents/<path:agent_id>/recovery", agents.RecoveryView.as_view()),
    path("agents/<path:agent_id>", agents.AgentView.as_view()),
    path("users/<str:user_id>/content", users.UserContentView.as_view()),
    path("events", events.EventsView.as_view()),
]
