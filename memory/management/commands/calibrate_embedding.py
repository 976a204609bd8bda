"""Measures what the embedding model in use makes of pairs whose relation is known, and keeps it."""

from datetime import UTC, datetime
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from memory.embedding.calibration import measure
from memory.embedding.current import embedder
from memory.errors import AresError
from memory.models import EmbeddingModel


class Command(BaseCommand):
    """Calibrate the embedding model in use, so that thresholds of similarity mean the same as with any other."""

    help = __doc__

    def handle(self, *args: Any, **options: Any) -> None:
        """Measure, keep and print."""
        model = embedder()
        try:
            found = measure(model)
        except (AresError, ValueError) as error:
            raise CommandError(str(error)) from error
        kept = {
            "dimension": model.dimension,
            "unrelated": found.unrelated,
            "paraphrased": found.paraphrased,
            "measured_at": datetime.now(UTC),
        }
        EmbeddingModel.objects.update_or_create(name=model.model, defaults=kept)
        self.stdout.write(
            f"{model.model} ({model.dimension} dimensions): "
            f"unrelated {found.unrelated}, paraphrased {found.paraphrased}"
        )
