"""Loads any data spec as images in three splits, ready to train on."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import torch
from jaxtyping import UInt8
from torch import Tensor
from torchvision.transforms.v2.functional import center_crop, resize

from supcon.base.errors import RequestError
from supcon.base.progress import Bar, no_bar, say
from supcon.base.shapes import Images
from supcon.data.config import DataConfig
from supcon.data.image_data import ImageData, Split
from supcon.data.reduced_data import add_label_noise, reduce_classes
from supcon.data.sources.arrays import kept_arrays
from supcon.data.sources.collection import Collection
from supcon.data.sources.encoded_images import EncodedImages, Picked
from supcon.data.sources.hugging_face import hugging_face
from supcon.data.sources.image_folder import folder
from supcon.data.sources.manifest import manifest
from supcon.data.sources.named import named
from supcon.data.sources.shards import shards
from supcon.data.sources.split_table import read_split_table, write_split_table
from supcon.data.spec import read_spec
from supcon.data.storage.channel_statistics import channel_statistics, statistics_of_sums
from supcon.data.storage.choose_storage import hold
from supcon.data.storage.decode import choose_layout, describe_bad
from supcon.data.storage.stored_images import StoredImages
from supcon.data.stratified_splits import Indices, SplitName, Splits, complete_splits, stratify

_ORDER = ("train", "unlabelled", "validation", "test")


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
    return manifest(spec.path) if spec.kind == "manifest" else folder(spec.path)


def load_data(
    config: DataConfig, seed: int = 0, progress: Bar = no_bar, *, split_table: str | None = None
) -> ImageData:
    """Loads the data that `config.spec` names, in three splits.

    Splits that the data does not define are drawn with `seed`, or taken from a run's `split_table` if one is given.
    """
    collection = open_collection(config)
    splits, labels = (
        choose_splits(collection, config, seed) if split_table is None else read_split_table(split_table, collection)
    )
    data = (
        _from_pixels(collection, splits, labels, config.image_size)
        if isinstance(collection.images, np.ndarray)
        else _from_encoded(collection, collection.images, splits, labels, config, progress)
    )
    return _with_given_values(data, config)


def choose_splits(collection: Collection, config: DataConfig, seed: int) -> tuple[Splits, Indices]:
    """The rows of every split and the labels to train with, after the reductions and label noise of the config."""
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


def _rows(splits: Splits) -> Indices:
    return np.concatenate([getattr(splits, name) for name in _ORDER])


def _from_pixels(collection: Collection, splits: Splits, labels: Indices, size: int | None) -> ImageData:
    """Data of images that are already decoded; resized if `size` differs."""
    images = torch.from_numpy(np.ascontiguousarray(collection.images[_rows(splits)]))  # type: ignore[index]
    images = squared(images, size)
    statistics = channel_statistics(images[: len(splits.train)])
    return _assemble(collection, splits, labels, images, images.shape[-1], statistics)


def squared(images: Images, size: int | None) -> UInt8[Tensor, "batch channel side side"]:
    """The centre square of every image, resized to `size` unless that is None."""
    side = min(images.shape[-2:])
    images = center_crop(images, [side, side])
    return images if size in (None, side) else resize(images, [size, size], antialias=True)


def _from_encoded(
    collection: Collection, encoded: EncodedImages, splits: Splits, labels: Indices, config: DataConfig, progress: Bar
) -> ImageData:
    layout = choose_layout(Picked(encoded, splits.train.tolist()), config.image_size)
    rows = _rows(splits)
    held = hold(Picked(encoded, rows.tolist()), layout, config.hold, config.memory_limit, collection.name, progress)
    images, sums = held.images, held.facts.sums
    left_out: tuple[tuple[str, str], ...] = ()
    if held.facts.bad:
        bad = sorted(held.facts.bad)
        left_out = tuple((encoded.where(int(rows[place])), held.facts.bad[place]) for place in bad)
        _report_bad(left_out, len(rows), config.skip_bad_images)
        good = np.setdiff1d(np.arange(len(rows)), bad)
        images, sums = images.pick(good) if isinstance(images, StoredImages) else images[good], sums[good]
        splits = _without(splits, rows[bad])
        _check_left(collection, splits)
    statistics = statistics_of_sums(sums[: len(splits.train)], layout.stored_size**2)
    return replace(_assemble(collection, splits, labels, images, layout.image_size, statistics), left_out=left_out)


def _report_bad(bad: Sequence[tuple[str, str]], total: int, skip: bool) -> None:
    if not skip:
        if len(bad) > 5:
            for where, why in bad:
                say(f"cannot be read: {where} ({why})")
        raise RequestError(describe_bad(bad, total, "repair or remove them, or leave them out with --skip-bad-images"))
    for where, why in bad:
        say(f"left out: {where} ({why})")


def _without(splits: Splits, bad: Indices) -> Splits:
    return Splits(**{name: part[~np.isin(part, bad)] for name in _ORDER for part in [getattr(splits, name)]})


def _check_left(collection: Collection, splits: Splits) -> None:
    for name in ("train", "validation", "test"):
        if not len(getattr(splits, name)):
            raise RequestError(
                f"None of the images in the {name} split of {collection.name} can be read; repair or replace them."
            )


def _assemble(
    collection: Collection,
    splits: Splits,
    labels: Indices,
    images: Images | StoredImages,
    image_size: int,
    statistics: tuple[tuple[float, ...], tuple[float, ...]],
) -> ImageData:
    """The images are in the order of `_ORDER`, so that every split, and train with unlabelled, is one slice."""
    whole = Split(images=images, labels=torch.from_numpy(labels[_rows(splits)]))
    ends = np.cumsum([len(getattr(splits, name)) for name in _ORDER]).tolist()
    return ImageData(
        name=collection.name,
        class_names=collection.class_names,
        train=whole.pick(slice(0, ends[0])),
        validation=whole.pick(slice(ends[1], ends[2])),
        test=whole.pick(slice(ends[2], ends[3])),
        with_unlabelled=whole.pick(slice(0, ends[1])) if ends[1] > ends[0] else None,
        image_size=image_size,
        mean=statistics[0],
        std=statistics[1],
        metric=collection.metric,
        split_table=write_split_table(collection, splits, labels),
    )


def _with_given_values(data: ImageData, config: DataConfig) -> ImageData:
    for name in ("mean", "std"):
        given = getattr(config, name)
        if given is not None and len(given) != data.channels:
            raise RequestError(f"data.{name} needs one value for each of the {data.channels} channels, got {given}.")
    return replace(
        data,
        mean=config.mean or data.mean,
        std=config.std or data.std,
    )
