from collections.abc import Callable
from pathlib import Path

import pytest
import torch

from supcon.base.errors import RequestError
from supcon.data.config import DataConfig
from supcon.data.load import load_data
from supcon.data.sample import sample_images
from supcon.data.storage.decode import Layout
from supcon.data.storage.decode_all import decode_all

MakeFolder = Callable[..., Path]


def pixels(images: torch.Tensor) -> set[tuple[int, ...]]:
    return {tuple(image.flatten().tolist()) for image in images}


def test_a_few_training_digits() -> None:
    images, size = sample_images(DataConfig(), 12)
    assert (images.shape, size) == ((12, 1, 8, 8), 8)
    assert pixels(images) <= pixels(load_data(DataConfig()).train.images[:])


def test_a_few_files_of_a_folder_at_the_size_of_a_run(make_folder: MakeFolder) -> None:
    root = make_folder({"train/a": 6, "train/b": 6, "test/a": 3}, size=(40, 40))
    images, size = sample_images(DataConfig(spec=str(root), image_size=28), 5)
    assert (images.shape, size) == ((5, 3, 32, 32), 28)
    assert len(pixels(images)) == 5


def test_the_seed_decides_which() -> None:
    first, again, other = (sample_images(DataConfig(), 8, seed)[0] for seed in (1, 1, 2))
    assert torch.equal(first, again)
    assert not torch.equal(first, other)


def test_fewer_where_there_are_fewer(make_folder: MakeFolder) -> None:
    images, _ = sample_images(DataConfig(spec=str(make_folder({"a": 1, "b": 2}))), 50)
    assert len(images) == 3


def test_only_the_files_that_are_shown_are_read(make_folder: MakeFolder, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[Path] = []

    def decode(paths: list[Path], layout: Layout) -> torch.Tensor:
        seen.extend(paths)
        return decode_all(paths, layout)

    monkeypatch.setattr("supcon.data.sample.decode_all", decode)
    sample_images(DataConfig(spec=str(make_folder({"a": 30, "b": 30}))), 4)
    assert len(seen) == 4


def test_unknown_data_is_refused() -> None:
    with pytest.raises(RequestError, match="There is no folder and no data set called 'nowhere'"):
        sample_images(DataConfig(spec="nowhere"), 3)
