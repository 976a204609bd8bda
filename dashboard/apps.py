"""The pages' application."""

from django.apps import AppConfig


class DashboardConfig(AppConfig):
    """Shows what `memory` knows."""

    name = "dashboard"
