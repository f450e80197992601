import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from sklearn.manifold import TSNE
from sklearn.metrics import silhouette_score

from supcon.evaluation import embedding_map
from supcon.evaluation.representations.embedding_map import map_method


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


def test_clusters_stay_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("supcon.evaluation.representations.embedding_map._ITERATIONS", 1000)  # other tests have fewer
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


@pytest.mark.parametrize(
    ("rows", "width", "method"), [(11, 8, "PCA"), (12, 8, "t-SNE"), (1000, 1, "PCA"), (12, 2, "t-SNE")]
)
def test_the_method_is_named_as_it_is_used(rows: int, width: int, method: str, monkeypatch: pytest.MonkeyPatch) -> None:
    assert map_method(rows, width) == method
    used: list[str] = []

    def fit_transform(_: TSNE, rows: NDArray[np.float32]) -> NDArray[np.float32]:
        used.append("t-SNE")
        return rows[:, :2]

    monkeypatch.setattr(TSNE, "fit_transform", fit_transform)
    embedding_map(np.random.default_rng(0).normal(size=(rows, width)).astype(np.float32))
    assert used == (["t-SNE"] if method == "t-SNE" else [])
