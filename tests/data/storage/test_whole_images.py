"""Photographs that keep their shapes: the same pixels however they are held, squares for everything but crops."""

import pickle
from pathlib import Path

import numpy as np
import pytest
import torch
from PIL import Image
from torch import Tensor
from torchvision.transforms.v2.functional import center_crop, pil_to_tensor, resize

from supcon.data import DataConfig, ImageData, load_data, training_loader
from supcon.data.batches.loader import BatchIndex
from supcon.data.config import HoldName
from supcon.data.storage.decode import Layout, choose_layout, decode

SHAPES = [(60, 40), (40, 60), (90, 40), (40, 200), (50, 50)]
"""Width and height."""


@pytest.fixture(scope="module")
def oblong(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root, random = tmp_path_factory.mktemp("oblong"), np.random.default_rng(0)
    for split, count in (("train", 10), ("val", 5), ("test", 5)):
        for name in ("one", "two"):
            (root / split / name).mkdir(parents=True)
            for number in range(count):
                width, height = SHAPES[number % len(SHAPES)]
                pixels = random.integers(0, 256, (height, width, 3), dtype=np.uint8)
                Image.fromarray(pixels).save(root / split / name / f"{number}.png")
    return root


def load(root: Path, hold: HoldName) -> ImageData:
    return load_data(DataConfig(spec=str(root), image_size=28, hold=hold))


@pytest.mark.parametrize("hold", ["memory", "cache", "decode"])
def test_whole_photographs_are_there_up_to_two_to_one(oblong: Path, hold: HoldName) -> None:
    data = load(oblong, hold)
    assert data.train.shape is None
    shapes = [tuple(image.shape[1:]) for image in data.train.whole(torch.arange(5))]
    assert shapes == [(32, 48), (48, 32), (32, 64), (64, 32), (32, 32)]


def test_all_ways_of_holding_give_the_same_pixels(oblong: Path) -> None:
    memory, cache, decoded, again = (load(oblong, hold) for hold in ("memory", "cache", "decode", "cache"))
    index = torch.tensor([7, 0, 3, 12])
    for other in (cache, decoded, again, pickle.loads(pickle.dumps(cache))):
        assert other.mean == memory.mean
        assert all(map(torch.equal, memory.train.whole(index), other.train.whole(index)))
        assert torch.equal(memory.train[index][0], other.train[index][0])
        assert torch.equal(memory.test.images[:], other.test.images[:])


def test_evaluation_sees_the_middle_square_of_the_resized_image(oblong: Path) -> None:
    data = load(oblong, "memory")
    with Image.open(oblong / "test" / "one" / "0.png") as image:  # 60 x 40
        resized = pil_to_tensor(image.resize((48, 32), Image.Resampling.BILINEAR))
    assert data.test.images.shape == (10, 3, 32, 32)
    assert torch.equal(data.test.images[:1][0], center_crop(resized, [32, 32]))
    apart = resize(pil_to_tensor(Image.open(oblong / "test" / "one" / "0.png")), [32, 48], antialias=True)
    assert (center_crop(apart, [32, 32]).int() - data.test.images[:1][0].int()).abs().max() <= 2  # torchvision's own


def test_views_are_cropped_from_all_of_a_photograph(oblong: Path) -> None:
    """Crops of the whole image that are as large as can be: a wide image keeps its sides."""
    seen: list[tuple[int, ...]] = []

    def look(image: Tensor, epoch: int, index: int, repeat: int) -> Tensor:
        del epoch, index, repeat
        seen.append(tuple(image.shape[1:]))
        return image[:, :32, :32]

    loader = training_loader(load(oblong, "memory").train, 20, seed=0, per_image=look)
    loader.num_workers = 0
    loader.dataset[BatchIndex(0, torch.arange(20), torch.zeros(20))]
    assert set(seen) == {(32, 48), (48, 32), (32, 64), (64, 32), (32, 32)}


def test_square_images_stay_one_tensor(tmp_path: Path) -> None:
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        for number in range(10):
            Image.new("RGB", (40, 40), (number, 0, 0)).save(tmp_path / name / f"{number}.png")
    data = load(tmp_path, "memory")
    assert isinstance(data.train.images, Tensor)
    assert data.train.shape == (32, 32)


def test_one_odd_image_of_many_does_not_make_a_set_oblong() -> None:
    squares = [Image.new("L", (40, 40)) for _ in range(199)]
    assert choose_layout([*squares, Image.new("L", (80, 40))], 28).aspect == 1
    assert choose_layout([*squares[:9], Image.new("L", (80, 40))], 28).aspect == pytest.approx(1.1)


def test_bicubic_is_pillows() -> None:
    image = Image.fromarray(np.random.default_rng(1).integers(0, 256, (60, 60, 3), dtype=np.uint8))
    layout = Layout(image_size=40, stored_size=40, channels=3, resampling="bicubic")
    assert (decode(image, layout) == np.asarray(image.resize((40, 40), Image.Resampling.BICUBIC))).all()
