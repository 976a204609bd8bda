"""The addresses under `/api/v1/`."""

from django.urls import path

from memory.api import (
    agents,
    events,
    exports,
    knowledge,
    messages,
    search,
    sessions,
    streams,
    tasks,
    tools,
    verification,
)

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
    path("knowledge", knowledge.KnowledgeListView.as_view()),
    path("knowledge/<str:knowledge_id>", knowledge.KnowledgeView.as_view()),
    path("tools", tools.ToolsView.as_view()),
    path("tools/<str:tool_id>", tools.ToolView.as_view()),
    path("search", search.SearchView.as_view()),
    path("events", events.EventsView.as_view()),
]
