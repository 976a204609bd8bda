"""Measures what the embedding model in use makes of pairs whose relation is known, and keeps it."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError

from memory.embedding import current
from memory.embedding.calibration import measure
from memory.embedding.local import LocalEmbedder
from memory.errors import AresError
from memory.models import Vector
from memory.tenancy import in_each_tenant


class Command(BaseCommand):
    """Calibrate the embedding model in use, so that thresholds of similarity mean the same as with any other."""

    help = __doc__

    def handle(self, *args: Any, **options: Any) -> None:
        """Measure, keep and print."""
        model = LocalEmbedder() if current.is_local() else current.of_service(None)
        try:
            found = measure(model)
        except (AresError, ValueError) as error:
            raise CommandError(str(error)) from error
        current.keep(model, found)
        of_before = Vector.objects.filter(model=model.model).exclude(dimension=model.dimension)
        if gone := in_each_tenant(lambda: of_before.delete()[0]):
            self.stderr.write(f"{gone} vectors had another dimension and were deleted; the worker makes new ones.")
        self.stdout.write(
            f"{model.model} ({model.dimension} dimensions): "
            f"unrelated {found.unrelated}, paraphrased {found.paraphrased}"
        )
