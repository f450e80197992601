from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from PIL import Image

from random_models import CLASSES, pixels, random_model
from supcon.base.errors import RequestError
from supcon.data import DataConfig, keep_arrays, load_data
from supcon.evaluation import centre_crop


def test_probabilities_are_the_softmax_of_the_classifier() -> None:
    model = random_model()
    logits = model.classifier(torch.from_numpy(model.embed(pixels())))
    found = model.predict_proba(pixels())
    np.testing.assert_allclose(found, logits.softmax(1).detach().numpy(), rtol=1e-6)
    np.testing.assert_allclose(found.sum(1), 1, rtol=1e-6)
    assert model.predict(pixels()) == [CLASSES[index] for index in logits.argmax(1)]
    assert found.dtype == np.float32


def test_a_model_is_in_evaluation_mode() -> None:
    model = random_model()
    before = {name: tensor.clone() for name, tensor in model.encoder.state_dict().items()}
    alone = model.embed(pixels()[:1])
    np.testing.assert_allclose(alone, model.embed(pixels())[:1], atol=1e-6)
    assert all(torch.equal(before[name], tensor) for name, tensor in model.encoder.state_dict().items())


@pytest.mark.parametrize("batch_size", [1, 2, 5, 256])
def test_batches_change_nothing(batch_size: int) -> None:
    model = random_model()
    np.testing.assert_allclose(model.embed(pixels(), batch_size), model.embed(pixels()), atol=1e-6)


@pytest.mark.parametrize("images", [[], np.empty((0, 3, 16, 16), dtype=np.uint8)])
def test_no_images_give_no_rows(images: Any) -> None:
    model = random_model()
    assert model.embed(images).shape == (0, 32)
    assert model.predict_proba(images).shape == (0, len(CLASSES))
    assert model.predict(images) == []


def test_the_encoder_sees_the_middle_of_what_is_stored() -> None:
    model, batch = random_model(), pixels()
    edges = batch.copy()
    edges[:, :, [0, -1]] = 0
    edges[:, :, :, [0, -1]] = 0
    np.testing.assert_array_equal(model.embed(edges), model.embed(batch))
    assert torch.equal(model.prepare(batch), torch.from_numpy(batch)[:, :, 1:-1, 1:-1])


@pytest.mark.parametrize(("height", "width"), [(64, 64), (64, 100), (100, 64), (12, 12), (14, 14), (16, 40), (9, 50)])
@pytest.mark.parametrize("channels", [1, 3])
@pytest.mark.parametrize("trained_on", [1, 3])
def test_an_image_is_the_same_through_every_door(
    height: int, width: int, channels: int, trained_on: int, tmp_path: Path
) -> None:
    model = random_model(channels=trained_on, mean=(0.4,) * trained_on, std=(0.2,) * trained_on)
    (image,) = pixels(1, height, width, channels)
    pillow = Image.fromarray(image[0] if channels == 1 else image.transpose(1, 2, 0))
    pillow.save(tmp_path / "a.png")
    tensor = torch.from_numpy(image)
    doors: list[Any] = [pillow, [pillow], image, [image], image[None], image.transpose(1, 2, 0), tensor, tensor / 255]
    doors += [tensor[None].double() / 255, [tensor], tmp_path / "a.png", str(tmp_path / "a.png"), tmp_path]
    doors += [image[0]] if channels == 1 else []
    expected = model.prepare(tmp_path / "a.png")
    assert expected.shape == (1, trained_on, 14, 14)
    for door in doors:
        assert torch.equal(model.prepare(door), expected)
    one = np.repeat(model.predict_proba(image), len(doors), 0)
    np.testing.assert_allclose(model.predict_proba(doors), one, atol=1e-6)  # a batch of another size rounds differently


def test_a_file_is_prepared_as_evaluation_prepares_it(tmp_path: Path) -> None:
    model = random_model()
    for split in ("train", "test"):
        for name in ("a/1.png", "a/2.png", "b/1.png", "b/2.png"):
            (tmp_path / split / name).parent.mkdir(parents=True, exist_ok=True)
            Image.fromarray(pixels(1, 40, 60)[0].transpose(1, 2, 0)).save(tmp_path / split / name)
    data = load_data(DataConfig(spec=str(tmp_path), image_size=14))
    assert data.stored_size == model.card.stored_size
    assert torch.equal(model.prepare(tmp_path / "test"), centre_crop(data.test.images[:], 14))


def test_arrays_are_prepared_as_evaluation_prepares_them() -> None:
    images, labels = pixels(20, 9, 12), ["a", "b"] * 10
    data = load_data(DataConfig(spec=keep_arrays({"train": (images, labels), "test": (images, labels)}), image_size=14))
    assert torch.equal(random_model(stored_size=14).prepare(images), data.test.images[:])


def test_steps_give_what_the_whole_gives() -> None:
    model = random_model()
    representations = model.encode(model.prepare(pixels()))
    np.testing.assert_array_equal(representations.numpy(), model.embed(pixels()))
    np.testing.assert_array_equal(model.classify(representations).numpy(), model.predict_proba(pixels()))
    assert model.names(model.predict_proba(pixels())) == model.predict(pixels())


@pytest.mark.parametrize(
    ("images", "message"),
    [
        (np.zeros((2, 16, 16, 5), np.uint8), r"with 1 or 3 channels, .*, got the shape \[2, 16, 16, 5\]"),
        (np.zeros((2, 1, 1, 3, 16), np.uint8), r"got the shape \[2, 1, 1, 3, 16\]"),
        (torch.full((2, 3, 16, 16), -1.5), r"not normalized, got float32 with values from -1.5 to -1.5"),
        (np.full((2, 3, 16, 16), 300), "got int64 with values from 300 to 300"),
        (np.full((16, 16), "x"), "got <U1"),
    ],
)
def test_other_batches_are_refused(images: Any, message: str) -> None:
    with pytest.raises(RequestError, match=message):
        random_model().embed(images)


def test_the_digest_is_that_of_the_weights() -> None:
    one, same, other = random_model(), random_model(), random_model()
    other.classifier.bias.data[0] += 1e-3
    assert one.digest == same.digest != other.digest


def test_a_model_shows_what_it_is_and_moves_to_a_device() -> None:
    model = random_model()
    classes = f"{len(CLASSES)} classes: {', '.join(CLASSES)}"
    assert repr(model) == f"Model({classes}; images [3, 14, 14]; encoder small-resnet, 32 wide; on cpu)"
    assert model.to("cpu") is model
    assert model.to(torch.device("cpu")).device.type == "cpu"
    with pytest.raises(RequestError, match="device 'nowhere' cannot be used"):
        model.to("nowhere")
