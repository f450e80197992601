"""A folder of images: `class/image`, or `train/class/image` with `val/` or `test/` next to `train/`."""

from pathlib import Path

import numpy as np

from supcon.data.sources.collection import Collection
from supcon.data.sources.encoded_images import Files
from supcon.data.sources.listing import list_splits
from supcon.data.stratified_splits import Indices, SplitName


def folder(root: Path, name: str | None = None) -> Collection:
    """Lists the images of a folder, without reading them."""
    class_names, listings = list_splits(root)
    given: dict[SplitName, Indices] = {}
    start = 0
    for split, listing in listings.items():
        given[split] = np.arange(start, start + len(listing.paths))
        start += len(listing.paths)
    return Collection(
        name=name or root.resolve().name,
        class_names=class_names,
        images=Files(root, [path for listing in listings.values() for path in listing.paths]),
        labels=np.array([label for listing in listings.values() for label in listing.labels], dtype=np.int64),
        given=given,
    )
