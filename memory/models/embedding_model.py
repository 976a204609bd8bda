"""Embedding models that were calibrated: of the installation, not of a tenant."""

from django.db import models


class EmbeddingModel(models.Model):
    """A model's calibration: the mean raw cosines of unrelated and of paraphrased texts."""

    name = models.CharField(max_length=200, unique=True)
    dimension = models.IntegerField()
    unrelated = models.FloatField()
    paraphrased = models.FloatField()
    measured_at = models.DateTimeField()

    def __str__(self) -> str:
        return self.name
