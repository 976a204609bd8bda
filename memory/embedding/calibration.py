"""Raw cosines of a model become similarities that mean the same for every model.

Cosines of embedding models crowd together: with the local one, texts that have nothing to do with each other score
0.8. A calibration says what unrelated and paraphrased pairs score on average; the similarity is 0 at the first, 0.85 at
the second, 1 for equal vectors, and a straight line in between. So thresholds hold for any model.
"""

from dataclasses import dataclass
from itertools import combinations

import numpy as np

from memory.embedding.pairs import PARAPHRASES
from memory.embedding.spec import Embedder

PARAPHRASED = 0.85


@dataclass(frozen=True, slots=True)
class Calibration:
    """The mean raw cosines of unrelated and of paraphrased texts, `unrelated` < `paraphrased` < 1."""

    unrelated: float
    paraphrased: float

    def similarity(self, cosine: float) -> float:
        """The calibrated similarity in [0, 1] of a raw cosine in [-1, 1]."""
        return float(np.interp(cosine, [self.unrelated, self.paraphrased, 1.0], [0.0, PARAPHRASED, 1.0]))


def measure(embedder: Embedder) -> Calibration:
    """What this model makes of pairs whose relation is known.

    Raises:
        ServiceFailed: the model cannot answer. ValueError: it does not tell paraphrased from unrelated texts.
    """
    left = embedder.embed_passages([pair[0] for pair in PARAPHRASES])
    right = embedder.embed_passages([pair[1] for pair in PARAPHRASES])
    paraphrased = float(np.mean(np.sum(left * right, axis=1)))
    apart = [float(left[one] @ right[other]) for one, other in combinations(range(len(PARAPHRASES)), 2)]
    unrelated = float(np.mean(apart))
    if not unrelated < paraphrased < 1:
        raise ValueError(
            f"Paraphrases score {paraphrased:.3f} and unrelated texts {unrelated:.3f}: "
            "this model cannot tell them apart."
        )
    return Calibration(round(unrelated, 4), round(paraphrased, 4))
