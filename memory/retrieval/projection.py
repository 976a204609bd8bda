"""Many vectors as points of a plane, near ones near each other, and the clusters that they make. Pure.

Principal components first, then t-SNE (van der Maaten, Hinton 2008, with Barnes-Hut), which keeps neighbourhoods and
not distances; clusters are those of HDBSCAN (Campello, Moulavi, Sander 2013) in the plane. Both are scikit-learn's, and
always begin alike: the same vectors give the same map.
"""

import warnings
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

# Components that t-SNE works on, and how many neighbours count for it, as its authors propose.
COMPONENTS = 50
PERPLEXITY = 30
# Fewer vectors have no neighbourhoods to keep.
FEWEST = 10
SMALLEST_CLUSTER = 4
NO_CLUSTER = -1


@dataclass(frozen=True, slots=True)
class Projection:
    """`points` has the shape (n, 2), each coordinate in [-1, 1]; `clusters` (n,) numbers each point's cluster from 0,
    NO_CLUSTER for none."""

    points: npt.NDArray[np.float64]
    clusters: npt.NDArray[np.int64]


def project(vectors: npt.NDArray[np.float32]) -> Projection:
    """A map of unit vectors, an array of the shape (n, dimension)."""
    count = len(vectors)
    if count < FEWEST:
        return Projection(_scaled(_components(vectors, 2)), np.full(count, NO_CLUSTER, dtype=np.int64))
    from sklearn.cluster import HDBSCAN  # takes seconds to load, and only the worker needs it
    from sklearn.manifold import TSNE

    reduced = _components(vectors, min(COMPONENTS, count, vectors.shape[1]))
    perplexity = min(PERPLEXITY, (count - 1) / 3)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about defaults of releases to come
        points = TSNE(perplexity=perplexity, init="pca", random_state=0, n_jobs=1, max_iter=500).fit_transform(reduced)
        clusters = HDBSCAN(min_cluster_size=SMALLEST_CLUSTER, n_jobs=1, copy=True).fit_predict(points)
    return Projection(_scaled(points), clusters.astype(np.int64))


def _components(vectors: npt.NDArray[np.float32], count: int) -> npt.NDArray[np.float64]:
    """The principal components, (n, count); those that there are not are zero."""
    made = np.zeros((len(vectors), count))
    if len(vectors) > 1:
        centred = vectors.astype(np.float64) - vectors.mean(axis=0)
        left, weights, _ = np.linalg.svd(centred, full_matrices=False)
        found = left[:, :count] * weights[:count]
        made[:, : found.shape[1]] = found
    return made


def _scaled(points: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """In the middle, and as large as fits, both axes alike."""
    if not len(points):
        return points
    middle = (points.max(axis=0) + points.min(axis=0)) / 2
    reach = np.abs(points - middle).max()
    scaled: npt.NDArray[np.float64] = (points - middle) / (reach or 1.0)
    return scaled
