"""The domain's application."""

from django.apps import AppConfig


class MemoryConfig(AppConfig):
    """Streams, the layers of memory, and what the doors call."""

    name = "memory"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        from memory.events import store
        from memory.tokens import ledger

        if ledger.keep not in store.keepers:
            store.keepers.append(ledger.keep)
