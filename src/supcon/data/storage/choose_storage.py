"""Three ways to store images: decoded in memory, decoded in a memory-mapped file, or decoded by workers at every use.

All three give the same pixels; they differ in speed and in the space they need.
"""

import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import numpy as np
import torch
from numpy.typing import NDArray

from supcon.base.progress import Bar, say
from supcon.base.shapes import Images
from supcon.data.config import HoldName
from supcon.data.sources.encoded_images import EncodedImages, Picked
from supcon.data.sources.locations import cache_folder
from supcon.data.storage.cache import cached
from supcon.data.storage.decode import Layout
from supcon.data.storage.decode_images import Facts, decode_images
from supcon.data.storage.mapped import MappedImages, MappedWhole
from supcon.data.storage.memory_limit import allowed_memory, check_memory
from supcon.data.storage.on_demand import DecodedImages
from supcon.data.storage.stored_images import Reader, StoredImages
from supcon.data.storage.whole_images import WholeImages, WholeInMemory

StorageName = Literal["memory", "cache", "decode"]


@dataclass(frozen=True)
class Held:
    """Images that can be indexed, in the given order, and the facts about each."""

    images: Images | StoredImages
    facts: Facts


def hold(encoded: EncodedImages, layout: Layout, how: HoldName, limit: float | None, name: str, progress: Bar) -> Held:
    """Stores the images in the way `how` says; `auto`: in memory, else in the cache, else decoded at every use."""
    needed = len(encoded) * layout.image_bytes
    way = fitting_storage(needed, limit, how)
    if way == "memory":
        check_memory(needed, limit, name)
        return _in_memory(encoded, layout, progress)
    if how == "auto":
        say(f"The images take {needed / 1e9:.1f} GB decoded, which does not fit in memory; {_EXPLANATIONS[way]}.")
    # Sorted by path, so that another split of the same images finds the same cache entry.
    order = np.array(sorted(range(len(encoded)), key=encoded.where), dtype=np.int64)
    back = np.argsort(order)
    ordered = Picked(encoded, order.tolist())
    entry = cached(ordered, layout, progress, pixels=way == "cache")
    facts = entry.facts
    reader: Reader = (
        _mapped(entry.pixels, facts, layout, allowed_memory(limit)) if way == "cache" else _decoded(ordered, layout)
    )
    bad = {int(order[row]): why for row, why in facts.bad.items()}
    arrays = (facts.sums[back], facts.sizes[back], facts.digests[back])
    return Held(StoredImages(reader, back), Facts(*arrays, bad))


def _mapped(path: Path, facts: Facts, layout: Layout, limit: float) -> Reader:
    shape = (layout.channels, layout.stored_size, layout.stored_size)
    if layout.whole:
        return WholeImages(MappedWhole(path, facts.sizes, layout.channels, limit), shape)
    return MappedImages(path, len(facts.sizes), shape, limit)


def _decoded(encoded: EncodedImages, layout: Layout) -> Reader:
    reader = DecodedImages(encoded, layout)
    return WholeImages(reader, reader.shape, slow=True) if layout.whole else reader


_EXPLANATIONS = {
    "cache": "they are stored in a file of decoded images (--data.hold cache)",
    "decode": "they are decoded at every use (--data.hold decode)",
}


def fitting_storage(needed: int, limit: float | None, how: HoldName = "auto") -> StorageName:
    """The given way; for `auto` the first that has space for `needed` bytes of decoded images."""
    if how != "auto":
        return how
    if needed <= allowed_memory(limit):
        return "memory"
    place = next(path for path in (cache_folder(), *cache_folder().parents) if path.exists())
    return "cache" if needed <= shutil.disk_usage(Path(place)).free / 2 else "decode"


def _in_memory(encoded: EncodedImages, layout: Layout, progress: Bar) -> Held:
    shape = (layout.channels, layout.stored_size, layout.stored_size)
    if layout.whole:
        images = WholeInMemory(layout.channels)
        with progress("decoding images", len(encoded), "images") as advance:
            facts = decode_images(encoded, layout, images.keep, advance)
        return Held(StoredImages(WholeImages(images, shape), np.arange(len(encoded))), facts)
    pixels: NDArray[np.uint8] = np.empty((len(encoded), *shape), dtype=np.uint8)

    def keep(rows: range, some: NDArray[np.uint8], sizes: NDArray[np.int32]) -> None:
        pixels[rows.start : rows.stop] = some.reshape(len(sizes), *shape)

    with progress("decoding images", len(encoded), "images") as advance:
        facts = decode_images(encoded, layout, keep, advance)
    return Held(torch.from_numpy(pixels), facts)
