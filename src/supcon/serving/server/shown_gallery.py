"""The images that a server searches in, with thumbnails to show."""

import base64
import io
from collections.abc import Callable
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from supcon.serving.gallery import Gallery

_SIDE = 160
"""Longer side of a thumbnail; smaller images are kept as they are."""
_KEPT = 4096


class ShownGallery:
    """A gallery whose images can be shown; `picture(row)` opens an image of it."""

    def __init__(self, gallery: Gallery, picture: Callable[[int], Image.Image]) -> None:
        self.gallery, self.picture = gallery, picture
        self.thumbnail = lru_cache(_KEPT)(self._thumbnail)

    def __len__(self) -> int:
        return len(self.gallery)

    def nearest(self, representations: NDArray[np.float32], k: int, thumbnails: bool) -> list[list[dict[str, object]]]:
        """The `k` most similar images of every row, best first, as the values of `Neighbour`."""
        found = self.gallery.nearest(representations, k)
        pairs = zip(found.rows.tolist(), found.similarity.tolist(), strict=True)
        return [
            [self._neighbour(row, value, thumbnails) for row, value in zip(rows, values, strict=True)]
            for rows, values in pairs
        ]

    def _neighbour(self, row: int, similarity: float, thumbnails: bool) -> dict[str, object]:
        name = self.gallery.names[row].encode("utf-8", "surrogateescape").decode("utf-8", "replace")
        values: dict[str, object] = {"path": name, "label": self.gallery.labels[row], "similarity": similarity}
        picture = self.thumbnail(row) if thumbnails else None
        return values if picture is None else {**values, "thumbnail": picture}

    def _thumbnail(self, row: int) -> str | None:
        """A data URL; None if the file has been removed or damaged since the gallery was built."""
        try:
            image = self.picture(row).convert("RGB")
        except Exception:  # Pillow's formats raise many exception types
            return None
        small = max(image.size) <= _SIDE
        image.thumbnail((_SIDE, _SIDE))
        kind, options = ("png", {}) if small else ("jpeg", {"quality": 80})
        file = io.BytesIO()
        image.save(file, kind, **options)
        return f"data:image/{kind};base64,{base64.b64encode(file.getvalue()).decode()}"
