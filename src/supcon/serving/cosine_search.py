"""The rows of a matrix that are most similar to a query: exactly, in chunks, or approximately through FAISS."""

import math
from typing import Any, NamedTuple

import numpy as np
import torch
import torch.nn.functional as F
from numpy.typing import NDArray
from torch import Tensor

from supcon.base.errors import RequestError

_CHUNK = 2**24
"""Similarities that are in memory at once: 64 MB."""


class Neighbours(NamedTuple):
    """The nearest rows of every query, best first."""

    similarity: NDArray[np.float32]
    """[query, k]: cosine similarity."""
    rows: NDArray[np.int64]
    """[query, k]: which row."""


def most_similar_rows(
    queries: NDArray[np.float32], bank: NDArray[np.float32], k: int, *, chunk: int | None = None
) -> Neighbours:
    """The `k` rows of the bank with the highest cosine similarity; the rows of the bank have unit norm."""
    if k < 1:
        raise RequestError(f"k must be at least 1, got {k}.")
    k = min(k, len(bank))
    rows = torch.from_numpy(bank)
    found = [
        _largest(part @ rows.T, k) for part in unit_rows(queries).split(chunk or max(1, _CHUNK // max(1, len(bank))))
    ]
    if not found:
        return Neighbours(np.empty((0, k), np.float32), np.empty((0, k), np.int64))
    return Neighbours(*(torch.cat(parts).numpy() for parts in zip(*found, strict=True)))


def _largest(similarity: Tensor, k: int) -> tuple[Tensor, Tensor]:
    """topk, several times as fast for long rows: the k largest values lie in the k blocks with the largest maxima."""
    queries, rows = similarity.shape
    size = _block_size(rows, k)
    whole = rows // size
    if size == 1:
        values, index = similarity.topk(k, dim=1)
        return values, index
    blocks = similarity[:, : whole * size].view(queries, whole, size)
    chosen = blocks.amax(2).topk(k, dim=1, sorted=False).indices
    inside = blocks.gather(1, chosen[:, :, None].expand(-1, -1, size)).flatten(1)
    columns = (chosen[:, :, None] * size + torch.arange(size)).flatten(1)
    rest = torch.arange(whole * size, rows).expand(queries, -1)
    values, order = torch.cat([inside, similarity[:, whole * size :]], 1).topk(k, dim=1)
    return values, torch.cat([columns, rest], 1).gather(1, order)


def _block_size(rows: int, k: int) -> int:
    """The root of rows / k, for which rows / size maxima and k * size values are sorted; 1 if blocks are not faster.

    >>> [_block_size(50_000, k) for k in (1, 10, 200, 5_000)]
    [223, 70, 15, 1]
    """
    size = math.isqrt(rows // k)
    return size if size >= 8 else 1


def unit_rows(rows: NDArray[np.float32]) -> Tensor:
    """The rows as a tensor, scaled to unit norm."""
    return F.normalize(torch.from_numpy(np.ascontiguousarray(rows, dtype=np.float32)), dim=1)


def faiss_index(bank: NDArray[np.float32]) -> Any:
    """A FAISS index of unit rows: a graph of neighbours (HNSW), which needs no training."""
    faiss = _faiss()
    index = faiss.IndexHNSWFlat(bank.shape[1], 32, faiss.METRIC_INNER_PRODUCT)
    index.hnsw.efConstruction = 80
    index.hnsw.efSearch = 128
    index.add(np.ascontiguousarray(bank))
    return index


def search_faiss(index: Any, queries: NDArray[np.float32], k: int) -> Neighbours:
    """The same as `most_similar_rows`, approximately."""
    similarity, found = index.search(unit_rows(queries).numpy(), min(k, index.ntotal))
    return Neighbours(similarity, found)


def _faiss() -> Any:
    try:
        import faiss
    except ImportError as error:
        raise RequestError(
            "Approximate search needs FAISS; install it with `pip install 'supcon[faiss]'`, or search exactly."
        ) from error
    return faiss
