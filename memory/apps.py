"""The domain's application."""

from django.apps import AppConfig


class MemoryConfig(AppConfig):
    """Streams, the layers of memory, and what the doors call."""

    name = "memory"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        from memory.events import recalled, store
        from memory.tokens import ledger

        for keep in (ledger.keep, recalled.keep):
            if keep not in store.keepers:
                store.keepers.append(keep)
