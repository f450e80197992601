"""Files, folders, Pillow images, arrays and tensors as inputs of a model."""

import warnings
from pathlib import Path

import numpy as np
import pytest
import torch
from PIL import Image

from random_models import pixels, random_model
from supcon.base.errors import RequestError


def test_files_pillow_images_arrays_and_tensors_are_the_same_images(tmp_path: Path) -> None:
    model, batch = random_model(), pixels()
    opened = [Image.fromarray(image.transpose(1, 2, 0)) for image in batch]
    paths = [tmp_path / f"{index}.png" for index in range(len(batch))]
    for image, path in zip(opened, paths, strict=True):
        image.save(path)
    expected = model.embed(batch)
    for same in (torch.from_numpy(batch), opened, paths, [str(path) for path in paths]):
        np.testing.assert_array_equal(model.embed(same), expected)


def test_an_array_that_may_not_be_written_is_read_without_a_word() -> None:
    batch, model = pixels(), random_model()
    expected = model.embed(batch)
    batch.flags.writeable = False
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        np.testing.assert_array_equal(model.embed(batch), expected)


def test_an_array_read_backwards_is_taken() -> None:
    model = random_model()
    np.testing.assert_array_equal(model.embed(pixels()[:, :, :, ::-1]), model.embed(pixels()[:, :, :, ::-1].copy()))


def test_a_folder_gives_its_images_in_sorted_order(tmp_path: Path) -> None:
    for name, image in zip(("b/2.png", "a/9.png", "b/10.png"), pixels(3), strict=True):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        Image.fromarray(image.transpose(1, 2, 0)).save(tmp_path / name)
    (tmp_path / "notes.txt").write_text("no image")
    model = random_model()
    np.testing.assert_array_equal(model.embed(tmp_path), model.embed(pixels(3)[[1, 2, 0]]))


def test_a_folder_without_images_is_refused(tmp_path: Path) -> None:
    with pytest.raises(RequestError, match="There are no image files below"):
        random_model().predict(tmp_path)


def test_six_hundred_files_are_decoded_by_processes_in_order(tmp_path: Path) -> None:
    images = pixels(600)
    paths = [tmp_path / f"{index}.png" for index in range(len(images))]
    for image, path in zip(images, paths, strict=True):
        Image.fromarray(image.transpose(1, 2, 0)).save(path)
    assert torch.equal(random_model().prepare(paths), random_model().prepare(images))


def test_files_that_cannot_be_read_are_named(tmp_path: Path) -> None:
    (tmp_path / "text.jpg").write_text("no image")
    with pytest.raises(RequestError) as caught:
        random_model().predict([tmp_path / "text.jpg", tmp_path / "gone.jpg"])
    assert str(caught.value) == (
        f"2 of 2 files cannot be read as images: {tmp_path}/gone.jpg (No such file or directory); "
        f"{tmp_path}/text.jpg (not an image); repair or remove them."
    )
