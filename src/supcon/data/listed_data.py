"""Classes, counts, splits and sizes of a data set, without decoding images: it takes less than a second."""

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
from supcon.data.stratified_splits import ORDER, Indices, SplitName, Splits, complete_splits, stratify


@dataclass(frozen=True, kw_only=True)
class ListedData:
    """The images of a run by split and class, not yet decoded."""

    collection: Collection
    splits: Splits
    labels: Indices
    """Labels of all images of the collection, including label noise."""
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
        """The rows of all images of the run, in `ORDER`."""
        return np.concatenate([getattr(self.splits, name) for name in ORDER])

    @property
    def counts(self) -> dict[str, int]:
        """Number of images of each split."""
        return {name: len(getattr(self.splits, name)) for name in ORDER}

    @property
    def split_names(self) -> dict[str, str]:
        """Names of the splits in messages; if the data has validation but no test images, `test` is validation."""
        if self.collection.tested_on_validation:
            return {"train": "train", "unlabelled": "unlabelled", "validation": "held out", "test": "validation"}
        return {name: name for name in ORDER}

    @property
    def class_counts(self) -> Mapping[str, list[int]]:
        """Number of images of each class, by split."""
        return {name: self._by_class(getattr(self.splits, name)) for name in ("train", "validation", "test")}

    def _by_class(self, rows: Indices) -> list[int]:
        labels, classes = self.labels[rows], len(self.class_names)
        counts: Indices = (labels > 0).sum(0) if labels.ndim == 2 else np.bincount(labels, minlength=classes)
        return counts.tolist()  # type: ignore[no-any-return]

    def with_config(self, config: DataConfig) -> "ListedData":
        """The same images with the `image_size` and `hold` of another config."""
        return replace(self, config=config, layout=_layout(self.collection, self.splits.train, config.image_size))

    @property
    def decoded_bytes(self) -> int:
        """Bytes of all images when decoded."""
        return len(self.rows) * self.layout.image_bytes

    @property
    def storage(self) -> StorageName:
        """How the images will be stored: as set in the config, or the first way that fits; arrays are in memory."""
        if isinstance(self.collection.images, np.ndarray):
            return "memory"
        return fitting_storage(self.decoded_bytes, self.config.memory_limit, self.config.hold)


def list_data(config: DataConfig, seed: int = 0, *, split_table: str | None = None) -> ListedData:
    """Lists the images of `config.spec` and assigns them to splits.

    Splits that the data does not define are drawn with `seed`, or taken from a run's `split_table` if one is given.
    """
    collection = open_collection(config)
    splits, labels = (
        choose_splits(collection, config, seed) if split_table is None else read_split_table(split_table, collection)
    )
    layout = _layout(collection, splits.train, config.image_size)
    return ListedData(collection=collection, splits=splits, labels=labels, layout=layout, config=config)


def open_collection(config: DataConfig) -> Collection:
    """Lists the images of `config.spec`, without decoding them."""
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
    """The rows of every split, reduced as set in the config, and the labels with label noise."""
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
