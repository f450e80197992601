"""Classes that are added to a trained model by prototype: the mean representation of a few images, without training."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor, nn

from supcon.base.errors import RequestError
from supcon.evaluation import class_prototypes, fit_temperature, prototype_scores
from supcon.serving.gallery import Gallery
from supcon.serving.image_inputs import ImagesLike
from supcon.serving.model import Model

_USUAL_TEMPERATURE = 0.1
"""Default temperature of the softmax over similarities, if there are no validation images to fit it."""


class PrototypeClassifier(nn.Linear):
    """Scores are the cosine similarities to the prototypes, divided by a temperature."""

    def __init__(self, prototypes: Tensor, temperature: float) -> None:
        super().__init__(prototypes.shape[1], len(prototypes), bias=False)
        self.weight = nn.Parameter(prototypes / temperature, requires_grad=False)

    def forward(self, input: Tensor) -> Tensor:  # noqa: A002, the name in nn.Linear
        return super().forward(F.normalize(input, dim=1))


def add_classes(model: Model, gallery: Gallery, images: Mapping[str, ImagesLike]) -> Model:
    """A model with the additional classes of `images` (by class name); all classes are then classified by prototype.

    `gallery` has the images that the model was trained with: its training images are the prototypes of the model's own
    classes, to which images of the same class are added, and its validation images give the temperature.
    """
    if model.card.multi_label:
        raise RequestError("Classes cannot be added to a model with several labels per image; train with the new ones.")
    classes = [*model.classes, *(name for name in images if name not in model.classes)]
    rows, labels = _rows(model, gallery, images, classes)
    prototypes = class_prototypes(rows, labels, len(classes))
    empty = [name for name, row in zip(classes, prototypes, strict=True) if not row.any()]
    if empty:
        raise RequestError(f"There are no training images of the class {empty[0]!r}; add some to the prototypes.")
    classifier = PrototypeClassifier(prototypes, _temperature(gallery, prototypes, classes))
    return Model(model.encoder, classifier.to(model.device), replace(model.card, class_names=classes))


def _rows(
    model: Model, gallery: Gallery, images: Mapping[str, ImagesLike], classes: Sequence[str]
) -> tuple[Tensor, Tensor]:
    """The representations that prototypes are made of, and their classes."""
    own = _of_split(gallery, "train", classes)
    new = [(torch.from_numpy(model.embed(some)), classes.index(name)) for name, some in images.items()]
    parts = [own[0], *(rows for rows, _ in new)]
    labels = [own[1], *(torch.full((len(rows),), number) for rows, number in new)]
    return torch.cat(parts), torch.cat(labels)


def _of_split(gallery: Gallery, split: str, classes: Sequence[str]) -> tuple[Tensor, Tensor]:
    """The labelled rows of a split of the gallery."""
    number = {name: place for place, name in enumerate(classes)}
    labels = np.array([number.get(label, -1) for label in gallery.labels])
    places = np.flatnonzero((np.array(gallery.splits) == split) & (labels >= 0))
    return torch.from_numpy(gallery.representations[places]), torch.from_numpy(labels[places])


def _temperature(gallery: Gallery, prototypes: Tensor, classes: Sequence[str]) -> float:
    rows, labels = _of_split(gallery, "validation", classes)
    scores = prototype_scores(rows, prototypes) / _USUAL_TEMPERATURE
    return _USUAL_TEMPERATURE * (fit_temperature(scores, labels) if len(rows) else 1.0)
