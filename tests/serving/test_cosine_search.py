import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from supcon.base.errors import RequestError
from supcon.serving.cosine_search import faiss_index, most_similar_rows, search_faiss


def unit(rows: int, width: int, seed: int) -> NDArray[np.float32]:
    found = np.random.default_rng(seed).normal(size=(rows, width))
    return np.asarray(found / np.linalg.norm(found, axis=1, keepdims=True), dtype=np.float32)


@settings(deadline=None, max_examples=40)
@given(
    rows=st.integers(1, 3000), k=st.integers(1, 30), width=st.integers(2, 8), chunk=st.sampled_from([None, 1, 3, 100])
)
def test_the_nearest_are_those_of_a_full_sort(rows: int, k: int, width: int, chunk: int | None) -> None:
    bank, queries = unit(rows, width, 0), unit(7, width, 1) * 3
    found = most_similar_rows(queries, bank, k, chunk=chunk)
    similarity = (queries / 3) @ bank.T
    expected = -np.sort(-similarity, axis=1)[:, :k]
    np.testing.assert_allclose(found.similarity, expected, atol=1e-6)
    np.testing.assert_allclose(np.take_along_axis(similarity, found.rows, 1), expected, atol=1e-6)
    assert all(len(set(row)) == len(row) for row in found.rows.tolist())


def test_equal_rows_are_all_found() -> None:
    bank = np.repeat(unit(1, 4, 0), 5000, 0)
    found = most_similar_rows(bank[:1], bank, 20)
    np.testing.assert_allclose(found.similarity, 1, atol=1e-6)
    assert len(set(found.rows[0].tolist())) == 20


def test_no_queries_have_no_neighbours() -> None:
    assert most_similar_rows(np.empty((0, 4), np.float32), unit(9, 4, 0), 3).rows.shape == (0, 3)


def test_k_below_one_is_refused() -> None:
    with pytest.raises(RequestError, match="k must be at least 1, got 0"):
        most_similar_rows(unit(1, 4, 0), unit(9, 4, 0), 0)


def test_faiss_finds_nearly_the_same() -> None:
    pytest.importorskip("faiss")
    bank, queries = unit(4000, 16, 0), unit(50, 16, 1)
    exact, near = most_similar_rows(queries, bank, 10), search_faiss(faiss_index(bank), queries, 10)
    shared = np.mean([len(set(a) & set(b)) for a, b in zip(exact.rows.tolist(), near.rows.tolist(), strict=True)])
    assert shared >= 9.5
    np.testing.assert_allclose(near.similarity[:, 0], exact.similarity[:, 0], atol=1e-3)
