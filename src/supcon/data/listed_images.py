"""All images of any DATA as one list, for one pass over them: to embed, to search in, to audit."""

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import torch
from numpy.typing import NDArray
from PIL import Image, ImageOps

from supcon.data.config import DataConfig
from supcon.data.listed_data import list_data, open_collection
from supcon.data.load import squared
from supcon.data.sources.collection import Collection
from supcon.data.sources.encoded_images import EncodedImages, Files, ImageSource, Picked, in_memory
from supcon.data.sources.label_names import write_label
from supcon.data.sources.listing import holds_images, list_files, subfolders
from supcon.data.spec import read_spec
from supcon.data.storage.decode import Layout, picture
from supcon.data.storage.decoded_batches import DecodedBatch, decoded_batches
from supcon.data.stratified_splits import ORDER, Indices


@dataclass(frozen=True, kw_only=True, eq=False)
class ListedImages:
    """Images with their names, labels and splits, not yet decoded."""

    name: str
    images: EncodedImages | NDArray[np.uint8]
    names: tuple[str, ...]
    """What every image is called within its data: the path below its folder, or the number in an array."""
    labels: tuple[str, ...]
    """Class names as in a manifest: empty if unlabelled, `a|b` for several."""
    splits: tuple[str, ...]
    """`train`, `validation` or `test`; empty where the data defines no splits."""

    def __len__(self) -> int:
        return len(self.names)

    def pick(self, places: Indices) -> "ListedImages":
        """A subset, in the given order."""
        chosen = places.tolist()
        images = self.images[places] if isinstance(self.images, np.ndarray) else Picked(self.images, chosen)
        names, labels, splits = (tuple(getattr(self, field)[place] for place in chosen) for field in _TEXTS)
        return replace(self, images=images, names=names, labels=labels, splits=splits)

    def batches(self, layout: Layout, batch_size: int, start: int = 0) -> Iterator[DecodedBatch]:
        """The images from `start` on, preprocessed as in evaluation but for the centre crop."""
        if not isinstance(self.images, np.ndarray):
            yield from decoded_batches(self.images, layout, batch_size, start)
            return
        for row in range(start, len(self), batch_size):
            pixels = torch.from_numpy(np.array(self.images[row : row + batch_size]))
            if pixels.shape[1] == layout.channels:
                images = squared(pixels, layout.stored_size)
                yield DecodedBatch(range(row, row + len(images)), images, {})
            else:  # grey images for a model of colour images, or the reverse
                (batch,) = decoded_batches([picture(image) for image in pixels.numpy()], layout, batch_size)
                yield batch._replace(rows=range(row, row + len(batch.images)))

    def where(self, place: int) -> str:
        """The image's location, for messages."""
        return f"image {place}" if isinstance(self.images, np.ndarray) else self.images.where(place)

    def picture(self, place: int) -> Image.Image:
        """The image itself, upright, to be shown."""
        if isinstance(self.images, np.ndarray):
            return picture(self.images[place])
        return open_picture(self.images[place])

    @cached_property
    def digest(self) -> str:
        """A hash that changes when images are added, removed, moved or changed, or get other labels."""
        found = hashlib.blake2b(digest_size=16)
        for field in _TEXTS:
            found.update("\0".join(getattr(self, field)).encode("utf-8", "surrogateescape") + b"\1")
        if isinstance(self.images, np.ndarray):
            found.update(repr(self.images.shape).encode())
            found.update(np.ascontiguousarray(self.images).data)
        else:
            for place in range(len(self)):
                found.update(
                    f"{self.images.where(place)} {self.images.stamp(place)}\0".encode(errors="surrogateescape")
                )
        return found.hexdigest()


def open_picture(source: ImageSource) -> Image.Image:
    """An image as a person sees it: turned as its EXIF data say."""
    found = in_memory(source)
    return ImageOps.exif_transpose(found if isinstance(found, Image.Image) else Image.open(found))


_TEXTS = ("names", "labels", "splits")


def list_images(config: DataConfig, seed: int = 0, *, split_table: str | None = None) -> ListedImages:
    """All images that `config.spec` names, without reading them; a folder of images without classes is unlabelled.

    With a run's `split_table`, the images of the run, in its splits, with the labels it was trained with.
    """
    if split_table is not None:
        listed = list_data(config, seed, split_table=split_table)
        rows = listed.rows
        splits = ["train" if name == "unlabelled" else name for name in ORDER for _ in getattr(listed.splits, name)]
        return _listed(listed.collection, rows, listed.labels, splits)
    spec = read_spec(config.spec)
    if spec.kind == "folder" and holds_images(spec.path) and not subfolders(spec.path):
        files = Files(spec.path, [path for path in list_files(spec.path) if path.suffix.lower() in _suffixes()])
        nothing = ("",) * len(files)
        names = tuple(files.name(place) for place in range(len(files)))
        return ListedImages(name=spec.path.resolve().name, images=files, names=names, labels=nothing, splits=nothing)
    collection = open_collection(config)
    cells = np.full(len(collection), "", dtype=object)
    for split, given in collection.given.items():
        cells[given] = split if len(collection.given) > 1 else ""
    return _listed(collection, np.arange(len(collection)), collection.labels, cells.tolist())


def _listed(collection: Collection, rows: Indices, labels: Indices, splits: list[str]) -> ListedImages:
    images = collection.images
    return ListedImages(
        name=collection.name,
        images=images[rows] if isinstance(images, np.ndarray) else Picked(images, rows.tolist()),
        names=tuple(collection.image_name(row) for row in rows.tolist()),
        labels=tuple(write_label(label, collection.class_names) for label in labels[rows].tolist()),
        splits=tuple(splits),
    )


def _suffixes() -> dict[str, str]:
    return Image.registered_extensions()
