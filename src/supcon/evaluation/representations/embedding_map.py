"""A 2-D map of representations that keeps neighbours together."""

from typing import Literal

import numpy as np
from numpy.typing import NDArray
from sklearn.decomposition import PCA
from sklearn.manifold import TSNE

_SMALLEST_FOR_TSNE = 12
_ITERATIONS = 1000


def map_method(rows: int, width: int) -> Literal["t-SNE", "PCA"]:
    """The method of `embedding_map` for this number of rows: t-SNE needs enough of them to have neighbourhoods."""
    return "PCA" if rows < _SMALLEST_FOR_TSNE or width < 2 else "t-SNE"


def embedding_map(representations: NDArray[np.float32], seed: int = 0) -> NDArray[np.float32]:
    """t-SNE with a fixed seed, initialised by PCA; only PCA if there are too few rows for neighbourhoods."""
    rows, width = representations.shape
    if np.ptp(representations, axis=0).max() == 0:  # one row, or a collapsed encoder: PCA would divide by zero
        return np.zeros((rows, 2), dtype=np.float32)
    if map_method(rows, width) == "PCA":
        flat = PCA(n_components=min(2, rows, width)).fit_transform(representations)
        return np.pad(flat, ((0, 0), (0, 2 - flat.shape[1]))).astype(np.float32)
    perplexity = min(30, (rows - 1) / 3)
    tsne = TSNE(perplexity=perplexity, init="pca", metric="euclidean", random_state=seed, max_iter=_ITERATIONS)
    return np.asarray(tsne.fit_transform(representations), dtype=np.float32)
