from pathlib import Path

import numpy as np
import pytest
import torch
from PIL import Image

from supcon.base.errors import RequestError
from supcon.data import DataConfig, Layout, list_images, load_data


@pytest.fixture
def photos(tmp_path: Path) -> Path:
    generator = np.random.default_rng(0)
    for split in ("train", "test"):
        for at in range(8):
            path = tmp_path / "photos" / split / "ab"[at % 2] / f"{at}.png"
            path.parent.mkdir(parents=True, exist_ok=True)
            Image.fromarray(generator.integers(0, 256, (20, 30, 3), dtype=np.uint8)).save(path)
    return tmp_path / "photos"


def test_names_labels_and_splits_are_those_of_the_folders(photos: Path) -> None:
    listed = list_images(DataConfig(spec=str(photos)))
    assert [f"{split}/{label}" for split, label in zip(listed.splits, listed.labels, strict=True)] == [
        str(Path(name).parent) for name in listed.names
    ]
    assert len(listed) == 16
    assert listed.where(0) == str(photos / listed.names[0])


def test_the_split_table_of_a_run_decides(photos: Path) -> None:
    config = DataConfig(spec=str(photos), image_size=14)
    data = load_data(config)
    listed = list_images(config, split_table=data.split_table)
    assert listed.splits.count("validation") == len(data.validation)
    assert [name for name, split in zip(listed.names, listed.splits, strict=True) if split == "test"] == data.test_names
    layout = Layout(image_size=14, stored_size=data.stored_size, channels=3)
    test = np.flatnonzero(np.array(listed.splits) == "test")
    (batch,) = listed.pick(test).batches(layout, 100)
    assert torch.equal(batch.images, data.test.images[:])


@pytest.mark.parametrize("start", [0, 3])
def test_batches_start_anywhere_and_name_what_cannot_be_read(photos: Path, start: int) -> None:
    (photos / "train" / "a" / "4.png").write_text("no image")
    listed = list_images(DataConfig(spec=str(photos)))
    bad = listed.names.index("train/a/4.png")
    batches = list(listed.batches(Layout(image_size=14, stored_size=16, channels=1), 5, start))
    assert [row for batch in batches for row in batch.rows] == list(range(start, 16))
    assert {row: why for batch in batches for row, why in batch.bad.items()} == (
        {bad: "not an image"} if bad >= start else {}
    )
    assert all(batch.images.shape[1:] == (1, 16, 16) for batch in batches)


def test_arrays_have_numbers_for_names_and_get_the_models_channels() -> None:
    listed = list_images(DataConfig(spec="digits"))
    (grey,) = listed.pick(np.arange(5)).batches(Layout(image_size=8, stored_size=8, channels=1), 9)
    (colour,) = listed.pick(np.arange(5)).batches(Layout(image_size=8, stored_size=8, channels=3), 9)
    assert listed.names[:2] == ("0", "1")
    assert torch.equal(colour.images, grey.images.expand(-1, 3, -1, -1))
    assert (np.asarray(listed.picture(3)) == grey.images[3, 0].numpy()).all()


def test_a_flat_folder_is_unlabelled_and_an_empty_one_is_refused(photos: Path, tmp_path: Path) -> None:
    flat = list_images(DataConfig(spec=str(photos / "train" / "a")))
    assert set(flat.labels) == set(flat.splits) == {""}
    assert flat.names[0] == "0.png"
    (tmp_path / "empty").mkdir()
    with pytest.raises(RequestError):
        list_images(DataConfig(spec=str(tmp_path / "empty")))


def test_a_turned_photograph_is_shown_upright(tmp_path: Path) -> None:
    exif = Image.Exif()
    exif[0x0112] = 6  # turned by 90 degrees
    Image.new("RGB", (40, 20)).save(tmp_path / "a.jpg", exif=exif)
    assert list_images(DataConfig(spec=str(tmp_path))).picture(0).size == (20, 40)
