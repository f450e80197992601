"""Images that are read when indexed."""

import numpy as np
import torch
from numpy.typing import NDArray

from supcon.data.storage.stored_images import Reader, StoredImages


class Numbered:
    """Image `row` is filled with its number."""

    shape = (1, 2, 3)
    slow = False

    def __init__(self) -> None:
        self.read_rows: list[int] = []

    def read(self, rows: NDArray[np.int64]) -> NDArray[np.uint8]:
        self.read_rows += np.atleast_1d(rows).tolist()
        return np.broadcast_to(rows.astype(np.uint8)[:, None, None, None], (len(rows), 1, 2, 3)).copy()


def test_indexing_reads_the_rows_that_are_asked_for_and_no_others() -> None:
    reader = Numbered()
    assert isinstance(reader, Reader)
    images = StoredImages(reader, np.array([5, 7, 9, 11]))
    assert (len(images), images.shape) == (4, (4, 1, 2, 3))
    picked = images.pick(slice(1, None))
    assert reader.read_rows == []
    assert picked[torch.tensor([2, 0])][:, 0, 0, 0].tolist() == [11, 7]
    assert images[:2].dtype == torch.uint8
    assert reader.read_rows == [11, 7, 5, 7]
    assert images.uniform
    assert [image.shape for image in images.whole(slice(2))] == [(1, 2, 3), (1, 2, 3)]
