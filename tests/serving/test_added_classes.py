from typing import Any

import numpy as np
import pytest
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from random_models import CLASSES, card, pixels
from supcon.base.errors import RequestError
from supcon.encoder import Encoder
from supcon.serving import Gallery, Model, add_classes


class MeanColour(nn.Module):
    """A network that separates the images below: the mean of every channel."""

    num_features = 3

    def forward(self, inputs: Tensor) -> Tensor:
        return inputs.mean((2, 3))


def colour_model(**changes: Any) -> Model:
    described = card(mean=(0.1, 0.1, 0.1), **changes)
    encoder = Encoder(MeanColour(), described.mean, described.std)
    return Model(encoder, nn.Linear(3, len(CLASSES)), described)


_COLOURS = ([200, 40, 40], [40, 200, 40], [40, 40, 200], [200, 200, 40], [0, 0, 0], [200, 40, 200])


def colours(number: int, count: int = 8) -> NDArray[np.uint8]:
    """Images of one colour each class, with noise."""
    plain = np.zeros((count, 3, 16, 16)) + np.array(_COLOURS[number])[:, None, None]
    noise = np.random.default_rng(number).integers(-20, 20, plain.shape)
    return np.asarray(np.clip(plain + noise, 0, 255), np.uint8)


def gallery_of(model: Model, *, splits: tuple[str, ...] = ("train", "validation")) -> Gallery:
    rows, labels, where = [], [], []
    for number, name in enumerate(CLASSES):
        embedded = model.embed(colours(number))
        rows.append(embedded / np.linalg.norm(embedded, axis=1, keepdims=True))
        labels += [name] * 8
        where += [splits[at % len(splits)] for at in range(8)]
    return Gallery(representations=np.concatenate(rows), names=[""] * 32, labels=labels, splits=where, key="")


def test_a_new_class_is_recognised_and_the_old_ones_still_are() -> None:
    model = colour_model()
    grown = add_classes(model, gallery_of(model), {"new": colours(5, 3)})
    assert grown.classes == [*CLASSES, "new"]
    assert model.classes == list(CLASSES)
    assert grown.predict(colours(5)) == ["new"] * 8
    right = [grown.predict(colours(number)) == [name] * 8 for number, name in enumerate(CLASSES)]
    assert all(right)
    np.testing.assert_allclose(grown.predict_proba(colours(1)).sum(1), 1, rtol=1e-5)


def test_every_class_is_its_mean_and_the_temperature_changes_no_order() -> None:
    model = colour_model()
    gallery = gallery_of(model)
    grown = add_classes(model, gallery, {"new": colours(5, 3)})
    train = np.array(gallery.splits) == "train"
    means = [gallery.representations[train & (np.array(gallery.labels) == name)].mean(0) for name in CLASSES]
    means.append(
        (lambda rows: (rows / np.linalg.norm(rows, axis=1, keepdims=True)).mean(0))(model.embed(colours(5, 3)))
    )
    unit = np.stack([mean / np.linalg.norm(mean) for mean in means])
    query = model.embed(pixels(4))
    cosine = query @ unit.T / np.linalg.norm(query, axis=1, keepdims=True)
    scores = grown.classifier(torch.from_numpy(query)).detach().numpy()
    ratio = scores / cosine
    np.testing.assert_allclose(ratio, ratio[0, 0], rtol=1e-3)
    assert 0.001 <= 1 / ratio[0, 0] <= 10


def test_images_of_a_known_class_join_its_prototype() -> None:
    model = colour_model()
    grown = add_classes(model, gallery_of(model), {CLASSES[0]: colours(5)})
    assert grown.classes == list(CLASSES)
    plain = add_classes(model, gallery_of(model), {"new": colours(5)})
    assert not torch.equal(grown.classifier.weight[0], plain.classifier.weight[0])


def test_a_gallery_without_validation_images_has_the_usual_temperature() -> None:
    model = colour_model()
    grown = add_classes(model, gallery_of(model, splits=("train",)), {"new": colours(5)})
    np.testing.assert_allclose(grown.classifier.weight.norm(dim=1).numpy(), 10, rtol=1e-5)


def test_what_cannot_be_is_one_sentence() -> None:
    model = colour_model(multi_label=True)
    with pytest.raises(RequestError, match="several labels per image"):
        add_classes(model, gallery_of(model), {"new": colours(5)})
    model = colour_model()
    with pytest.raises(RequestError, match="There are no training images of the class"):
        add_classes(model, gallery_of(model, splits=("test",)), {"new": colours(5)})
