"""Evaluates a run on other data with the same classes."""

from collections.abc import Iterator
from pathlib import Path

import torch

from supcon.base.errors import RequestError
from supcon.base.progress import bar
from supcon.base.shapes import Images, Labels
from supcon.data import NAMES, DataConfig, Listing, decode_all, list_splits, load_data, ordered_loader
from supcon.evaluation import (
    centre_crop,
    classification_measures,
    interval_measures,
    scaled_measures,
    scores_of_batches,
)
from supcon.serving import Model, ModelCard

_BATCH = 256


def measure_on(
    model: Model, spec: str, family: str, bins: int, temperature: float | None, data_root: str | None = None
) -> dict[str, float]:
    """All metrics of the classifier on the data `spec`, as `FAMILY/...`; the family is `on/NAME`.

    All images of a folder without splits are used; otherwise its test images or, if it has none, its validation images.
    Its classes must be a subset of the run's.
    """
    count, batches = _images(spec, model.card, data_root)
    with bar(f"evaluation {family.replace('/', ' ')}", count, "images") as advance:
        logits, labels = scores_of_batches(
            lambda images: model.classifier(model.encoder(images)), batches, model.classifier.weight.device, advance
        )
    measures = dict(classification_measures(logits, labels, family, bins=bins)) | dict(
        interval_measures(logits, labels, family)
    )
    if temperature is not None:
        measures |= scaled_measures(logits, labels, temperature, family, bins=bins)
    return measures


def _images(spec: str, card: ModelCard, data_root: str | None) -> tuple[int, Iterator[tuple[Images, Labels]]]:
    root = Path(spec).expanduser()
    if spec not in NAMES and root.is_dir():
        class_names, splits = list_splits(root)
        listing = _labelled(splits.get("test") or splits.get("validation") or splits["train"])
        labels = _to_run_classes(torch.tensor(listing.labels), class_names, card, spec)
        return len(labels), _decoded(listing, labels, card)
    data = load_data(DataConfig(spec=spec, image_size=card.image_size, root=data_root))
    if data.multi_label:
        raise RequestError(
            f"{spec} has several labels per image, but the run's classifier predicts one; give data with one label per "
            "image."
        )
    if data.channels != card.channels:
        raise RequestError(
            f"{spec} has images of {data.channels} channel(s), but the run was trained on {card.channels}; give images "
            f"of {card.channels} channel(s)."
        )
    labels = _to_run_classes(data.test.labels, data.class_names, card, spec)
    images = (centre_crop(batch, card.image_size) for batch, _ in ordered_loader(data.test, _BATCH))
    return len(labels), zip(images, labels.split(_BATCH), strict=True)


def _labelled(listing: Listing) -> Listing:
    known = [(path, label) for path, label in zip(listing.paths, listing.labels, strict=True) if label >= 0]
    return Listing([path for path, _ in known], [label for _, label in known])


def _to_run_classes(labels: Labels, class_names: tuple[str, ...], card: ModelCard, spec: str) -> Labels:
    """The labels as indices into the run's classes."""
    unknown = [name for name in class_names if name not in card.class_names]
    if unknown:
        raise RequestError(
            f"{spec} has the class {unknown[0]!r}, which is not one of the run's {len(card.class_names)} classes (such "
            f"as {card.class_names[0]!r}); give images of the run's classes."
        )
    numbers = torch.tensor([list(card.class_names).index(name) for name in class_names])
    return numbers[labels]


def _decoded(listing: Listing, labels: Labels, card: ModelCard) -> Iterator[tuple[Images, Labels]]:
    for start in range(0, len(labels), _BATCH):
        images = decode_all(listing.paths[start : start + _BATCH], card.layout)
        yield centre_crop(images, card.image_size), labels[start : start + _BATCH]
