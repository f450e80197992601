"""On-disk cache of decoded images and their statistics, reused by later runs.

The key is a hash of the images' paths and the stored size. An entry is valid if every image has the same file size and
modification time as before; if one differs, its content hash is compared. The entry's folder is renamed into place when
it is complete, and a lock lets one process build while others wait.
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
from supcon.data.storage.decode_images import Facts, content_digest, decode_images

_VERSION = 2
"""Increased when decoding changes its pixels, so that old entries are not used."""


@dataclass(frozen=True)
class Entry:
    """A cache entry of a collection: the file of pixels and the facts about each image."""

    pixels: Path
    facts: Facts


def cached(encoded: EncodedImages, layout: Layout, progress: Bar, *, pixels: bool) -> Entry:
    """The cache entry of these images, built if it is missing or outdated; `pixels`: whether it stores pixels."""
    folder = _folder(encoded, layout, pixels)
    with disk_errors(folder):
        folder.parent.mkdir(parents=True, exist_ok=True)
        with _locked(folder):
            facts = _read(folder, encoded, layout.channels if pixels else 0)
            if facts is None:
                facts = _build(folder, encoded, layout, progress, pixels)
    return Entry(folder / "pixels", facts)


def _folder(encoded: EncodedImages, layout: Layout, pixels: bool) -> Path:
    digest = hashlib.blake2b(digest_size=12)
    shape = f"{layout.channels} {layout.stored_size} {layout.whole} {layout.resampling}"
    digest.update(f"{_VERSION} {shape} {pixels}".encode())
    for row in range(len(encoded)):
        digest.update(f"\0{encoded.where(row)}".encode("utf-8", "surrogateescape"))
    return cache_folder() / "images" / digest.hexdigest()


@contextmanager
def _locked(folder: Path) -> Iterator[None]:
    with folder.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _read(folder: Path, encoded: EncodedImages, channels: int) -> Facts | None:
    """The facts of an entry, or None if it is missing, incomplete or outdated; `channels` is 0 if it has no pixels."""
    try:
        with np.load(folder / "facts.npz", allow_pickle=False) as stored:
            facts = Facts(stored["sums"], stored["sizes"], stored["digests"], {})
            stamps, bad = stored["stamps"], json.loads(str(stored["bad"]))
        size = channels * int(facts.sizes.prod(1, dtype=np.int64).sum())
        complete = (folder / "pixels").stat().st_size == size if size else True
    except (OSError, ValueError, KeyError):
        return None
    changed = np.flatnonzero((_stamps(encoded) != stamps).any(1))
    if not complete or not all(_same_content(encoded, row, facts) for row in changed.tolist()):
        return None
    facts.bad.update({int(row): why for row, why in bad.items()})
    return facts


def _same_content(encoded: EncodedImages, row: int, facts: Facts) -> bool:
    try:
        return bool((content_digest(encoded[row]) == facts.digests[row]).all())
    except OSError:
        return False


def _stamps(encoded: EncodedImages) -> NDArray[np.uint8]:
    hashes = b"".join(
        hashlib.blake2b(encoded.stamp(row).encode(), digest_size=8).digest() for row in range(len(encoded))
    )
    return np.frombuffer(hashes, dtype=np.uint8).reshape(-1, 8)


def _build(folder: Path, encoded: EncodedImages, layout: Layout, progress: Bar, pixels: bool) -> Facts:
    stamps = _stamps(encoded)  # before the content is read, so that a file that changes meanwhile is checked again
    with replacing(folder) as entry:
        entry.mkdir()
        with (entry / "pixels").open("wb") as file, progress(_title(pixels), len(encoded), "images") as advance:
            facts = decode_images(encoded, layout, _writer(file, pixels), advance)
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
