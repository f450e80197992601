"""What a data spec names before anything is decoded: classes, counts, splits and sizes, known within a second."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from supcon.data.config import DataConfig
from supcon.data.reduced_data import add_label_noise, reduce_classes
from supcon.data.sources.arrays import kept_arrays
from supcon.data.sources.collection import Collection
from supcon.data.sources.encoded_images import Picked
from supcon.data.sources.hugging_face import hugging_face
from supcon.data.sources.image_folder import folder
from supcon.data.sources.manifest import manifest
from supcon.data.sources.named import named
from supcon.data.sources.shards import shards
from supcon.data.sources.split_table import read_split_table
from supcon.data.spec import read_spec
from supcon.data.storage.choose_storage import StorageName, fitting_storage
from supcon.data.storage.decode import Layout, choose_layout
from supcon.data.stratified_splits import Indices, SplitName, Splits, complete_splits, stratify

ORDER = ("train", "unlabelled", "validation", "test")
"""How the images of a run stand behind each other."""


@dataclass(frozen=True, kw_only=True)
class ListedData:
    """The images of a run by split and class, not yet decoded."""

    collection: Collection
    splits: Splits
    labels: Indices
    """Of all images of the collection, as they are trained with."""
    layout: Layout
    config: DataConfig

    @property
    def name(self) -> str:
        return self.collection.name

    @property
    def class_names(self) -> tuple[str, ...]:
        return self.collection.class_names

    @property
    def rows(self) -> Indices:
        """All images that are used, in `ORDER`."""
        return np.concatenate([getattr(self.splits, name) for name in ORDER])

    @property
    def counts(self) -> dict[str, int]:
        """Images by split."""
        return {name: len(getattr(self.splits, name)) for name in ORDER}

    @property
    def split_names(self) -> dict[str, str]:
        """What a person calls the splits: of data that brings validation and no test images, figures are of those."""
        if self.collection.tested_on_validation:
            return {"train": "train", "unlabelled": "unlabelled", "validation": "held out", "test": "validation"}
        return {name: name for name in ORDER}

    @property
    def class_counts(self) -> Mapping[str, list[int]]:
        """Images of every class, by split."""
        return {name: self._by_class(getattr(self.splits, name)) for name in ("train", "validation", "test")}

    def _by_class(self, rows: Indices) -> list[int]:
        labels, classes = self.labels[rows], len(self.class_names)
        counts: Indices = (labels > 0).sum(0) if labels.ndim == 2 else np.bincount(labels, minlength=classes)
        return counts.tolist()  # type: ignore[no-any-return]

    def with_config(self, config: DataConfig) -> "ListedData":
        """The same images, to be stored as another config says (`image_size`, `hold`)."""
        return replace(self, config=config, layout=_layout(self.collection, self.splits.train, config.image_size))

    @property
    def decoded_bytes(self) -> int:
        """What all images take when they are decoded."""
        return len(self.rows) * self.layout.image_bytes

    @property
    def storage(self) -> StorageName:
        """How the images will be held: as the config says, or the first way that fits; arrays are in memory already."""
        if isinstance(self.collection.images, np.ndarray):
            return "memory"
        return fitting_storage(self.decoded_bytes, self.config.memory_limit, self.config.hold)


def list_data(config: DataConfig, seed: int = 0, *, split_table: str | None = None) -> ListedData:
    """Finds what `config.spec` names and parts it into splits.

    Splits that the data does not bring are decided by `seed`, unless a run's own `split_table` says them.
    """
    collection = open_collection(config)
    splits, labels = (
        choose_splits(collection, config, seed) if split_table is None else read_split_table(split_table, collection)
    )
    layout = _layout(collection, splits.train, config.image_size)
    return ListedData(collection=collection, splits=splits, labels=labels, layout=layout, config=config)


def open_collection(config: DataConfig) -> Collection:
    """The images that `config.spec` means, listed and not yet decoded."""
    spec = read_spec(config.spec)
    if spec.kind == "name":
        return named(spec.rest, config.root, download=config.download)
    if spec.kind == "shards":
        return shards(spec.rest)
    if spec.kind == "hugging-face":
        return hugging_face(spec.rest, download=config.download)
    if spec.kind == "arrays":
        return kept_arrays(spec.rest)
    return manifest(spec.path, outside=config.outside) if spec.kind == "manifest" else folder(spec.path)


def choose_splits(collection: Collection, config: DataConfig, seed: int) -> tuple[Splits, Indices]:
    """The rows of every split and the labels to train with, reduced and noisy where the config says so."""
    fractions: dict[SplitName, float] = {"test": config.test_fraction, "validation": config.validation_fraction}
    splits = complete_splits(collection.given, collection.labels, collection.class_names, fractions, seed)
    kept = reduce_classes(
        stratify(collection.labels)[splits.train],
        seed,
        fraction=config.fraction,
        per_class=config.per_class,
        imbalance_factor=config.imbalance_factor,
    )
    splits = replace(splits, train=splits.train[kept])
    labels = collection.labels.copy()
    if config.label_noise:
        classes = len(collection.class_names)
        labels[splits.train] = add_label_noise(labels[splits.train], config.label_noise, classes, seed)
    return splits, labels


def _layout(collection: Collection, train: Indices, image_size: int | None) -> Layout:
    if isinstance(collection.images, np.ndarray):
        size = image_size or min(collection.images.shape[-2:])
        return Layout(image_size=size, stored_size=size, channels=collection.images.shape[1])
    return choose_layout(Picked(collection.images, train.tolist()), image_size)
