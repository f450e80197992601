"""Loads any data spec as images in three splits, ready to train on."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Literal

import numpy as np
import torch
from jaxtyping import UInt8
from numpy.typing import NDArray
from torch import Tensor
from torchvision.transforms.v2.functional import center_crop

from supcon.base.errors import RequestError
from supcon.base.progress import Bar, no_bar, say
from supcon.base.shapes import Images
from supcon.data.config import DataConfig
from supcon.data.dark_images import dark_sentence
from supcon.data.image_data import ImageData, Split
from supcon.data.listed_data import ListedData, list_data
from supcon.data.repeated_images import repeated_sentence
from supcon.data.sources.collection import Pixels
from supcon.data.sources.encoded_images import EncodedImages, Picked
from supcon.data.sources.split_table import write_split_table
from supcon.data.storage.channel_statistics import channel_statistics, statistics_of_sums
from supcon.data.storage.choose_storage import hold
from supcon.data.storage.decode import Layout, describe_bad, picture
from supcon.data.storage.decode_all import decode_all
from supcon.data.storage.stored_images import StoredImages
from supcon.data.stratified_splits import ORDER, Indices, Splits


def load_data(
    config: DataConfig, seed: int = 0, progress: Bar = no_bar, *, split_table: str | None = None
) -> ImageData:
    """Loads the data that `config.spec` names, in three splits.

    Splits that the data does not define are drawn with `seed`, or taken from a run's `split_table` if one is given.
    """
    return decode_listed(list_data(config, seed, split_table=split_table), progress)


def decode_listed(listed: ListedData, progress: Bar = no_bar) -> ImageData:
    """The images of `list_data`: decoded, or to be decoded when used."""
    images = listed.collection.images
    data = _from_pixels(listed, images) if isinstance(images, np.ndarray) else _from_encoded(listed, images, progress)
    return _with_given_values(data, listed.config)


def _from_pixels(listed: ListedData, pixels: Pixels) -> ImageData:
    """Splits of images that are decoded already, resized if the layout has another size."""
    images = torch.from_numpy(np.ascontiguousarray(pixels[listed.rows]))
    images = squared(images, listed.config.image_size, listed.layout.resampling)
    statistics = channel_statistics(images[: len(listed.splits.train)])
    return _assemble(listed, listed.splits, images, statistics)


def squared(
    images: Images, size: int | None, resampling: Literal["bilinear", "bicubic"] = "bilinear"
) -> UInt8[Tensor, "batch channel side side"]:
    """The centre squares of images, resized to `size` if given.

    Resized by Pillow, like files: torchvision's values differ by one level in some pixels.
    """
    side = min(images.shape[-2:])
    if size is None or size == side:
        middle: Tensor = center_crop(images, [side, side])
        return middle
    layout = Layout(image_size=size, stored_size=size, channels=images.shape[1], resampling=resampling)
    return decode_all([picture(image) for image in images.numpy()], layout)


def _from_encoded(listed: ListedData, encoded: EncodedImages, progress: Bar) -> ImageData:
    config, layout, rows, splits = listed.config, listed.layout, listed.rows, listed.splits
    held = hold(Picked(encoded, rows.tolist()), layout, config.hold, config.memory_limit, listed.name, progress)
    images, sums = held.images, held.facts.sums
    _say_repeated(listed, encoded, held.facts.digests)
    if dark := dark_sentence(listed.name, Picked(encoded, splits.train.tolist())):
        say(dark)
    left_out: tuple[tuple[str, str], ...] = ()
    if held.facts.bad:
        bad = sorted(held.facts.bad)
        left_out = tuple((encoded.where(int(rows[index])), held.facts.bad[index]) for index in bad)
        _report_bad(left_out, len(rows), config.skip_bad_images)
        good = np.setdiff1d(np.arange(len(rows)), bad)
        images, sums = images.pick(good) if isinstance(images, StoredImages) else images[good], sums[good]
        splits = _without(splits, rows[bad])
        _check_left(listed.name, splits)
    statistics = statistics_of_sums(sums[: len(splits.train)], layout.stored_size**2)
    return replace(_assemble(listed, splits, images, statistics), left_out=left_out)


def _say_repeated(listed: ListedData, encoded: EncodedImages, digests: NDArray[np.uint8]) -> None:
    ends = np.cumsum([listed.counts[name] for name in ORDER])
    parts = {name: np.arange(end - listed.counts[name], end) for name, end in zip(ORDER, ends, strict=True)}
    said = repeated_sentence(digests, parts, lambda row: encoded.name(int(listed.rows[row])))
    if said:
        say(said)


def _report_bad(bad: Sequence[tuple[str, str]], total: int, skip: bool) -> None:
    if not skip:
        if len(bad) > 5:
            for where, why in bad:
                say(f"cannot be read: {where} ({why})")
        raise RequestError(describe_bad(bad, total, "repair or remove them, or leave them out with --skip-bad-images"))
    for where, why in bad:
        say(f"left out: {where} ({why})")


def _without(splits: Splits, bad: Indices) -> Splits:
    return Splits(**{name: part[~np.isin(part, bad)] for name in ORDER for part in [getattr(splits, name)]})


def _check_left(name: str, splits: Splits) -> None:
    for split in ("train", "validation", "test"):
        if not len(getattr(splits, split)):
            raise RequestError(
                f"None of the images in the {split} split of {name} can be read; repair or replace them."
            )


def _assemble(
    listed: ListedData,
    splits: Splits,
    images: Images | StoredImages,
    statistics: tuple[tuple[float, ...], tuple[float, ...]],
) -> ImageData:
    """The images are in the order of `ORDER`, so every split is a slice, and so are all training images together."""
    collection, labels = listed.collection, listed.labels
    rows = np.concatenate([getattr(splits, name) for name in ORDER])
    whole = Split(images=images, labels=torch.from_numpy(labels[rows]))
    ends = np.cumsum([len(getattr(splits, name)) for name in ORDER]).tolist()
    return ImageData(
        name=collection.name,
        class_names=collection.class_names,
        train=whole.pick(slice(0, ends[0])),
        validation=whole.pick(slice(ends[1], ends[2])),
        test=whole.pick(slice(ends[2], ends[3])),
        with_unlabelled=whole.pick(slice(0, ends[1])) if ends[1] > ends[0] else None,
        image_size=listed.layout.image_size,
        mean=statistics[0],
        std=statistics[1],
        metric=collection.metric,
        tested_on_validation=collection.tested_on_validation,
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
