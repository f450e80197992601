"""A folder of images: `class/image`, or `train/class/image` with `val/` or `test/` beside it.

A split that is not there is held out from the training images, stratified and seeded; with `train/` and `val/` but no
`test/`, the figures are reported on `val/` and what has to be chosen is chosen on images held out from `train/`, so
that nothing is ever chosen on what is reported.
"""

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from pathlib import Path

import numpy as np
import torch

from supcon.data.config import DataConfig
from supcon.data.decode import Layout, choose_layout, decode_all
from supcon.data.image_data import ImageData, Split, channel_statistics
from supcon.data.listing import Listing, list_splits
from supcon.data.memory import check_memory
from supcon.data.splits import hold_out
from supcon.errors import RequestError

Progress = Callable[[str, int], AbstractContextManager[Callable[[], None]]]
"""`progress(description, total)` shows a bar and gives the function that advances it."""


def folder(config: DataConfig, seed: int, progress: Progress) -> ImageData:
    """Reads the folder that `config.spec` names."""
    root = Path(config.spec).expanduser()
    class_names, given = list_splits(root)
    splits = _complete(given, class_names, config, seed)
    layout = choose_layout(splits["train"].paths, config.image_size)
    total = sum(len(listing.paths) for listing in splits.values())
    check_memory(total * layout.channels * layout.stored_size**2, config.memory_limit, root)
    with progress("decoding images", total) as advance:
        decoded = {name: _decode(listing, layout, advance) for name, listing in splits.items()}
    mean, std = channel_statistics(decoded["train"].images)
    return ImageData(
        name=root.resolve().name, class_names=class_names, image_size=layout.image_size, mean=mean, std=std, **decoded
    )


def _complete(
    given: dict[str, Listing], class_names: Sequence[str], config: DataConfig, seed: int
) -> dict[str, Listing]:
    """Holds out from `train` what is missing of the three splits."""
    splits = dict(given)
    if "test" not in splits and "validation" in splits:
        splits["test"] = splits.pop("validation")
    fractions = {"test": config.test_fraction, "validation": config.validation_fraction}
    missing = [name for name in fractions if name not in splits]
    _check_enough(splits["train"], class_names, missing)
    for name in missing:
        splits["train"], splits[name] = _hold_out(splits["train"], fractions[name], seed, name)
    return splits


def _check_enough(train: Listing, class_names: Sequence[str], missing: Sequence[str]) -> None:
    counts = np.bincount(train.labels)
    if counts.min() <= len(missing):
        raise RequestError(
            f"The class {class_names[int(counts.argmin())]!r} has {counts.min()} training image(s) and needs "
            f"{len(missing) + 1}, one for each of train, {', '.join(missing)}; add images, or folders for these splits."
        )


def _hold_out(listing: Listing, fraction: float, seed: int, what: str) -> tuple[Listing, Listing]:
    kept, held = hold_out(np.asarray(listing.labels), fraction, seed, what)
    return listing.pick(kept.tolist()), listing.pick(held.tolist())


def _decode(listing: Listing, layout: Layout, advance: Callable[[], None]) -> Split:
    return Split(images=decode_all(listing.paths, layout, advance), labels=torch.tensor(listing.labels))
