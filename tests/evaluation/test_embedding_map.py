import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import silhouette_score

from supcon.evaluation import embedding_map


@settings(max_examples=25, deadline=None)
@given(st.integers(1, 14), st.integers(1, 5))
def test_any_shape_gives_a_finite_map(rows: int, width: int) -> None:
    found = embedding_map(np.random.default_rng(0).normal(size=(rows, width)).astype(np.float32))
    assert found.shape == (rows, 2)
    assert found.dtype == np.float32
    assert np.isfinite(found).all()


@pytest.mark.parametrize("rows", [1, 5, 40])
def test_collapsed_representations_lie_on_one_point(rows: int) -> None:
    assert (embedding_map(np.full((rows, 8), 0.5, dtype=np.float32)) == 0).all()


def test_the_seed_fixes_the_map() -> None:
    rows = np.random.default_rng(0).normal(size=(30, 6)).astype(np.float32)
    np.testing.assert_array_equal(embedding_map(rows, seed=3), embedding_map(rows, seed=3))


def test_clusters_stay_apart() -> None:
    labels = np.repeat(np.arange(4), 15)
    centres = np.eye(4, 16, dtype=np.float32)[labels]
    rows = centres + 0.05 * np.random.default_rng(0).normal(size=(60, 16)).astype(np.float32)
    assert silhouette_score(embedding_map(rows), labels) > 0.7


def test_few_rows_are_projected_by_their_largest_spread() -> None:
    rows = np.zeros((5, 3), dtype=np.float32)
    rows[:, 1] = [-4, -2, 0, 2, 4]
    rows[:, 2] = [1, -1, 0, 1, -1]
    found = np.abs(embedding_map(rows))
    np.testing.assert_allclose(np.sort(found[:, 0]), [0, 2, 2, 4, 4], atol=0.5)
