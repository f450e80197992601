"""Decoded images and what is known of them, kept on disk for the next run and checked by content.

An entry is found by the images' places and the size they are stored at. It is used when every image still has the size
and time of change that it had; where one has not, its content decides. A folder appears under its name only when it
is whole, and one process builds while others wait.
"""

import fcntl
import hashlib
import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

import numpy as np
from numpy.typing import NDArray

from supcon.base.atomic_files import replacing
from supcon.base.errors import disk_errors
from supcon.base.progress import Bar
from supcon.data.sources.encoded_images import EncodedImages
from supcon.data.sources.locations import cache_folder
from supcon.data.storage.decode import Layout
from supcon.data.storage.decode_all import Facts, content_digest, decode_pictures

_VERSION = 2
"""Goes up when decoding gives other pixels than before."""


@dataclass(frozen=True)
class Entry:
    """What the cache has of a collection."""

    pixels: Path
    facts: Facts


def cached(pictures: EncodedImages, layout: Layout, progress: Bar, *, pixels: bool) -> Entry:
    """The entry of these pictures, built now if it is not there or not right any more; with their pixels or without."""
    folder = _folder(pictures, layout, pixels)
    with disk_errors(folder):
        folder.parent.mkdir(parents=True, exist_ok=True)
        with _alone(folder):
            facts = _read(folder, pictures, layout.channels if pixels else 0)
            if facts is None:
                facts = _build(folder, pictures, layout, progress, pixels)
    return Entry(folder / "pixels", facts)


def _folder(pictures: EncodedImages, layout: Layout, pixels: bool) -> Path:
    digest = hashlib.blake2b(digest_size=12)
    shape = f"{layout.channels} {layout.stored_size} {layout.whole} {layout.resampling}"
    digest.update(f"{_VERSION} {shape} {pixels}".encode())
    for row in range(len(pictures)):
        digest.update(f"\0{pictures.where(row)}".encode("utf-8", "surrogateescape"))
    return cache_folder() / "images" / digest.hexdigest()


@contextmanager
def _alone(folder: Path) -> Iterator[None]:
    with folder.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _read(folder: Path, pictures: EncodedImages, channels: int) -> Facts | None:
    """The facts of an entry that is still right; with `channels`, one whose pixels are all there."""
    try:
        with np.load(folder / "facts.npz", allow_pickle=False) as stored:
            facts = Facts(stored["sums"], stored["sizes"], stored["digests"], {})
            stamps, bad = stored["stamps"], json.loads(str(stored["bad"]))
        size = channels * int(facts.sizes.prod(1, dtype=np.int64).sum())
        whole = (folder / "pixels").stat().st_size == size if size else True
    except (OSError, ValueError, KeyError):
        return None
    changed = np.flatnonzero((_stamps(pictures) != stamps).any(1))
    if not whole or not all(_same_content(pictures, row, facts) for row in changed.tolist()):
        return None
    facts.bad.update({int(row): why for row, why in bad.items()})
    return facts


def _same_content(pictures: EncodedImages, row: int, facts: Facts) -> bool:
    try:
        return bool((content_digest(pictures[row]) == facts.digests[row]).all())
    except OSError:
        return False


def _stamps(pictures: EncodedImages) -> NDArray[np.uint8]:
    hashes = b"".join(
        hashlib.blake2b(pictures.stamp(row).encode(), digest_size=8).digest() for row in range(len(pictures))
    )
    return np.frombuffer(hashes, dtype=np.uint8).reshape(-1, 8)


def _build(folder: Path, pictures: EncodedImages, layout: Layout, progress: Bar, pixels: bool) -> Facts:
    stamps = _stamps(pictures)  # before the content is read: a file that changes meanwhile is looked at again
    with replacing(folder) as entry:
        entry.mkdir()
        with (entry / "pixels").open("wb") as file, progress(_title(pixels), len(pictures), "images") as advance:
            facts = decode_pictures(pictures, layout, _writer(file, pixels), advance)
        with (entry / "facts.npz").open("wb") as file:
            np.savez(
                file,
                sums=facts.sums,
                sizes=facts.sizes,
                digests=facts.digests,
                stamps=stamps,
                bad=np.array(json.dumps(facts.bad)),
            )
    return facts


def _title(pixels: bool) -> str:
    return "caching images" if pixels else "checking images"


def _writer(file: BinaryIO, pixels: bool) -> Callable[..., object]:
    return lambda rows, some, sizes: file.write(some.data) if pixels else None
