"""Images to search in: their representations, names and labels, stored in a folder."""

import csv
import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from supcon.base.atomic_files import replacing
from supcon.base.errors import RequestError
from supcon.base.progress import Bar, no_bar
from supcon.data import ListedImages
from supcon.evaluation import centre_crop, class_prototypes, fitting_batch
from supcon.serving.cosine_search import Neighbours, faiss_index, most_similar_rows, search_faiss, unit_rows
from supcon.serving.model import Model


@dataclass(frozen=True, kw_only=True, eq=False)
class Gallery:
    """Unit-norm representations of images, and what the images are called."""

    representations: NDArray[np.float32]
    """[image, dim], unit norm; may be mapped from a file."""
    names: Sequence[str]
    labels: Sequence[str]
    """Class names; empty if unlabelled, `a|b` for several."""
    splits: Sequence[str]
    key: str
    """A hash of the model and the images; if it differs, the gallery has to be rebuilt."""
    _index: list[Any] = field(default_factory=list, repr=False)

    def __len__(self) -> int:
        return len(self.names)

    @classmethod
    def build(cls, model: Model, images: ListedImages, progress: Bar = no_bar) -> "Gallery":
        """Encodes all images; those that cannot be read are left out."""
        card = model.card
        rows = np.empty((len(images), model.encoder.width), dtype=np.float32)
        bad: list[int] = []
        with progress("representations", len(images), "images") as advance:
            for batch in images.batches(card.layout, fitting_batch(card.image_size, model.device)):
                encoded = model.encode(centre_crop(batch.images, card.image_size)).cpu().numpy()
                rows[batch.rows.start : batch.rows.stop] = unit_rows(encoded).numpy()
                bad += batch.bad
                advance(steps=len(batch.rows))
        if len(bad) == len(images):
            raise RequestError(f"None of the {len(images)} images of {images.name} can be read; give readable ones.")
        key = gallery_key(model, images)
        if bad:
            good = np.setdiff1d(np.arange(len(images)), bad)
            images, rows = images.pick(good), rows[good]
        return cls(representations=rows, names=images.names, labels=images.labels, splits=images.splits, key=key)

    def save(self, folder: Path) -> None:
        """Writes the folder; it appears under its name only when it is complete."""
        folder.parent.mkdir(parents=True, exist_ok=True)
        with replacing(folder) as partial:
            partial.mkdir()
            np.save(partial / "representations.npy", self.representations, allow_pickle=False)
            with (partial / "images.csv").open("w", newline="", encoding="utf-8", errors="surrogateescape") as file:
                table = csv.writer(file, lineterminator="\n")
                table.writerows([("path", "label", "split"), *zip(self.names, self.labels, self.splits, strict=True)])
            (partial / "gallery.json").write_text(json.dumps({"key": self.key, "images": len(self)}))

    @classmethod
    def load(cls, folder: Path) -> "Gallery | None":
        """The gallery in a folder, without reading its representations into memory; None if there is none."""
        try:
            key = json.loads((folder / "gallery.json").read_text())["key"]
            with (folder / "images.csv").open(newline="", encoding="utf-8", errors="surrogateescape") as file:
                rows = list(csv.reader(file))[1:]
            # Copy on write: torch warns about arrays that may not be written.
            representations = np.load(folder / "representations.npy", mmap_mode="c", allow_pickle=False)
            names, labels, splits = zip(*rows, strict=True)
        except (OSError, ValueError, KeyError, TypeError):
            return None
        if representations.ndim != 2 or len(representations) != len(names) or representations.dtype != np.float32:
            return None
        return cls(representations=representations, names=names, labels=labels, splits=splits, key=str(key))

    def nearest(self, queries: NDArray[np.float32], k: int = 10, *, approximate: bool = False) -> Neighbours:
        """The `k` most similar images of every query (a row of `Model.embed`), best first.

        `approximate` searches through FAISS, whose index is built at the first search.
        """
        if queries.shape[1:] != self.representations.shape[1:]:
            raise RequestError(
                f"The queries are {queries.shape[-1]} wide and the gallery is {self.representations.shape[1]}; embed "
                "both with the same model."
            )
        if not approximate:
            return most_similar_rows(queries, self.representations, k)
        if not self._index:
            self._index.append(faiss_index(self.representations))
        return search_faiss(self._index[0], queries, k)

    def prototypes(self, classes: Sequence[str], split: str | None = None) -> NDArray[np.float32]:
        """[class, dim]: the mean representation of each class, unit norm; zero for a class without images here."""
        number = {name: place for place, name in enumerate(classes)}
        wanted = split if split in self.splits else None
        labels = [
            number.get(label, -1) if wanted in (None, at) else -1
            for label, at in zip(self.labels, self.splits, strict=True)
        ]
        rows = torch.from_numpy(self.representations)
        return class_prototypes(rows, torch.tensor(labels), len(classes)).numpy()


def gallery_key(model: Model, images: ListedImages) -> str:
    """Changes when the model's weights or the images change."""
    return f"{model.digest}-{images.digest}"
