"""Sections of pictures that Python lays out: views, hard pairs, suspicious labels, corrupted images."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from jaxtyping import UInt8

from supcon.report.plots.pair_plots import pair_plots, spread_in_words
from supcon.report.plots.thumbnails import Sprite, sheet
from supcon.report.run_pictures import Pairs
from supcon.report.run_results import RunResults

MOMENTS = {"end": "At the end of training", "start": "At the start of training"}


@dataclass(frozen=True, kw_only=True)
class ShownPair:
    """A pair as the page shows it; numbers of pictures are of the sheet."""

    first: int
    second: int
    first_label: str
    second_label: str
    names: str
    similarity: float
    times_mean: float


@dataclass(frozen=True, kw_only=True)
class Suspect:
    """A training image with a suspicious label, and its nearest training images; numbers are of `TrainingImages`."""

    image: int
    name: str
    label: str
    own_share: float
    voted: str
    share: float
    nearest: list[tuple[int, str]]
    """Each with its label."""


def picture_sections(results: RunResults) -> dict[str, Any]:
    """What the templates of the sections need."""
    pairs, pair_sheet = _pairs(results)
    views = results.views
    return {
        "hard_pairs": pairs,
        "pair_sheet": pair_sheet,
        "pair_plots": pair_plots(results.pairs),
        "pair_words": spread_in_words(results.pairs),
        "view_sheet": None if views is None else sheet(_grid(views.images, views.views)),
        "view_columns": 0 if views is None else 1 + views.views.shape[1],
        "view_rows": 0 if views is None else len(views.images),
        "samples": results.samples,
        "sample_sheet": None if results.samples is None else sheet(_flat(results.samples.pictures)),
        "suspects": list(suspects(results)),
        "audited": [(label, _place(results, label.name)) for label in results.audited],
    }


def _grid(
    images: UInt8[np.ndarray, "image height width channel"],
    views: UInt8[np.ndarray, "image view view_height view_width channel"],
) -> UInt8[np.ndarray, "picture view_height view_width channel"]:
    """Rows of an image and its views, as one list; both have the size of the encoder's input, or of a thumbnail."""
    return _flat(np.concatenate([images[:, None], views], axis=1))


def _flat(
    pictures: UInt8[np.ndarray, "row column height width channel"],
) -> UInt8[np.ndarray, "picture height width channel"]:
    return pictures.reshape(-1, *pictures.shape[2:])


def _pairs(results: RunResults) -> tuple[list[tuple[str, dict[str, list[ShownPair]]]], Sprite | None]:
    """Per moment the positives and negatives, and the sheet with all their pictures."""
    shown, pictures, count = [], [], 0
    for moment, title in MOMENTS.items():
        if moment not in results.pairs:
            continue
        kinds = {}
        for kind in ("positives", "negatives"):
            pairs: Pairs = getattr(results.pairs[moment], kind)
            kinds[kind] = [_shown(pairs, place, count, results.class_names) for place in range(len(pairs.pictures))]
            pictures.append(pairs.pictures.reshape(-1, *pairs.pictures.shape[2:]))
            count += 2 * len(pairs.pictures)
        shown.append((title, kinds))
    return shown, sheet(np.concatenate(pictures)) if pictures else None


def _shown(pairs: Pairs, place: int, before: int, class_names: list[str]) -> ShownPair:
    first, second = (class_names[label] if label >= 0 else "unlabelled" for label in pairs.labels[place].tolist())
    names = [name for name in dict.fromkeys(pairs.names[place]) if name and not name.isdecimal()]
    return ShownPair(
        first=before + 2 * place,
        second=before + 2 * place + 1,
        first_label=first,
        second_label=second,
        names=", ".join(names),
        similarity=float(pairs.similarity[place]),
        times_mean=float(pairs.times_mean[place]),
    )


def _place(results: RunResults, name: str) -> int:
    """The place of a training image among those that are shown; -1 if it is not."""
    names = results.training.names if results.training else []
    return names.index(name) if name in names else -1


def suspects(results: RunResults) -> Iterator[Suspect]:
    """The training images with suspicious labels, by their neighbours."""
    training, names = results.training, results.class_names
    if training is None:
        return
    listed = training.suspects
    for place, image in enumerate(listed.images.tolist()):
        yield Suspect(
            image=image,
            name=training.name(image),
            label=names[training.labels[image]],
            own_share=float(listed.own_share[place]),
            voted=names[listed.voted[place]],
            share=float(listed.share[place]),
            nearest=[(near, names[training.labels[near]]) for near in listed.nearest[place].tolist()],
        )
