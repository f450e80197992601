"""Images decoded from their files at every use: for collections that fit neither in memory nor, decoded, on disk."""

import numpy as np
from numpy.typing import NDArray

from supcon.base.errors import WorkError
from supcon.data.sources.encoded_images import EncodedImages, in_memory
from supcon.data.storage.decode import Layout, decode, reason
from supcon.data.stratified_splits import Indices


class DecodedImages:
    """Reads rows by decoding them; the pixels are the same as in memory or from the cache."""

    slow = True

    def __init__(self, encoded: EncodedImages, layout: Layout) -> None:
        self.encoded, self.layout = encoded, layout
        self.shape = (layout.channels, layout.stored_size, layout.stored_size)

    def read(self, rows: Indices) -> NDArray[np.uint8]:
        pixels = np.empty((len(rows), *self.shape), dtype=np.uint8)
        for index, row in enumerate(rows.tolist()):
            pixels[index] = self.image(row)
        return pixels

    def image(self, row: int) -> NDArray[np.uint8]:
        """One image, [channel, height, width]."""
        try:
            return np.array(decode(in_memory(self.encoded[row]), self.layout).transpose(2, 0, 1), order="C")
        except Exception as error:
            where = self.encoded.where(row)
            raise WorkError(
                f"{where} could be read when training started but cannot be read now: {reason(error)}; restore it "
                "and resume."
            ) from error
