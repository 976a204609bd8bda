"""Vectors as points of a plane."""

import numpy as np
import numpy.typing as npt
import pytest

from memory.retrieval.projection import NO_CLUSTER, project


def near(*directions: int, each: int = 8, dimension: int = 16) -> npt.NDArray[np.float32]:
    """Unit vectors, so many near each of these axes."""
    rng = np.random.default_rng(0)
    made = np.concatenate([np.eye(dimension)[axis] + 0.05 * rng.normal(size=(each, dimension)) for axis in directions])
    return (made / np.linalg.norm(made, axis=1, keepdims=True)).astype(np.float32)


@pytest.mark.parametrize("count", [0, 1, 2, 3, 9])
def test_few_vectors_have_places_and_no_clusters(count: int) -> None:
    made = project(near(0, each=count))
    assert made.points.shape == (count, 2)
    assert np.isfinite(made.points).all()
    assert made.clusters.tolist() == [NO_CLUSTER] * count


def test_equal_vectors_stand_in_one_place() -> None:
    assert not project(np.ones((4, 3), dtype=np.float32)).points.any()


def test_what_is_alike_makes_a_cluster_and_stands_together() -> None:
    made = project(near(0, 5, 9, each=12))
    groups = made.clusters.reshape(3, 12)
    assert all(len(set(group)) == 1 for group in groups.tolist())
    assert len(set(made.clusters.tolist())) == 3
    assert np.abs(made.points).max() == pytest.approx(1.0)


def test_the_same_vectors_give_the_same_map() -> None:
    one, other = project(near(0, 5)), project(near(0, 5))
    assert np.array_equal(one.points, other.points)
