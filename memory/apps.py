"""The domain's application."""

from django.apps import AppConfig


class MemoryConfig(AppConfig):
    """Streams, the layers of memory, and what the doors call."""

    name = "memory"
    default_auto_field = "django.db.models.BigAutoField"
