from collections.abc import Callable
from pathlib import Path

import pytest
import torch

from references.held_folder import load
from supcon.base.cores import usable_cores
from supcon.base.errors import RequestError
from supcon.data.batches.loader import ordered_loader, training_loader
from supcon.data.config import DataConfig, HoldName
from supcon.data.image_data import join_splits
from supcon.data.load import load_data
from supcon.data.storage.stored_images import StoredImages

MakeFolder = Callable[..., Path]
SPLITS = ("train", "validation", "test")


@pytest.mark.parametrize("hold", ["cache", "decode"])
def test_all_ways_give_the_same_pixels_and_statistics(make_folder: MakeFolder, hold: HoldName) -> None:
    root = make_folder({"a": 12, "b": 9, "unlabelled": 3})
    memory, other = load(root, "memory"), load(root, hold)
    assert isinstance(other.train.images, StoredImages)
    assert (other.mean, other.std) == (memory.mean, memory.std)
    for split in (*SPLITS, "pretraining"):
        one, two = getattr(memory, split), getattr(other, split)
        assert two.images.shape == tuple(one.images.shape)
        assert torch.equal(one.images, two.images[:])
        assert torch.equal(one.images[::2], two.pick(slice(None, None, 2)).images[:])
        assert torch.equal(one.labels, two.labels)
    whole = join_splits(other.train, other.validation)
    assert torch.equal(whole.images[:], join_splits(memory.train, memory.validation).images[:])
    index = torch.tensor([3, 1, 3])
    assert torch.equal(memory.train[index][0], other.train[index][0])


@pytest.mark.parametrize(("hold", "workers"), [("memory", 0), ("cache", 0), ("decode", usable_cores())])
def test_only_decoding_is_given_to_workers(make_folder: MakeFolder, hold: HoldName, workers: int) -> None:
    data = load(make_folder({"a": 8, "b": 8}), hold)
    loader = training_loader(data.train, 4, seed=0)
    assert loader.num_workers == workers
    assert sum(len(labels) for _, labels in ordered_loader(data.test, 2)) == len(data.test)
    assert [images.shape for images, _ in loader] == [(4, 3, 8, 8)] * (len(data.train) // 4)


def test_the_way_is_chosen_by_size(make_folder: MakeFolder, monkeypatch: pytest.MonkeyPatch) -> None:
    root = make_folder({"a": 8, "b": 8})
    config = DataConfig(spec=str(root), memory_limit=1e-6)  # 1,000 bytes; the images take 3,072
    assert isinstance(load_data(DataConfig(spec=str(root))).train.images, torch.Tensor)
    cached = load_data(config).train.images
    assert isinstance(cached, StoredImages)
    assert not cached.reader.slow
    monkeypatch.setattr("shutil.disk_usage", lambda _: _Usage())
    decoded = load_data(config).train.images
    assert isinstance(decoded, StoredImages)
    assert decoded.reader.slow


class _Usage:
    free = 6000


# Files that cannot be read


@pytest.mark.parametrize("hold", ["memory", "cache", "decode"])
def test_bad_images_stop_or_are_left_out(
    make_folder: MakeFolder, hold: HoldName, capsys: pytest.CaptureFixture[str]
) -> None:
    root = make_folder({"a": 10, "b": 10})
    whole = load(root, "memory")
    (root / "a" / "003.png").write_bytes((root / "a" / "003.png").read_bytes()[:60])
    (root / "b" / "004.png").write_bytes(b"")
    config = DataConfig(spec=str(root), hold=hold)
    with pytest.raises(RequestError) as caught:
        load_data(config)
    said = str(caught.value)
    assert said.startswith("2 of 20 files cannot be read as images: ")
    assert f"{root}/a/003.png (" in said
    assert f"{root}/b/004.png (not an image)" in said
    assert said.endswith("; repair or remove them, or leave them out with --skip-bad-images.")
    data = load_data(DataConfig(spec=str(root), hold=hold, skip_bad_images=True))
    assert sorted(Path(where).name for where, _ in data.left_out) == ["003.png", "004.png"]
    assert sum(data.counts.values()) == 18
    assert f"left out: {root}/b/004.png (not an image)" in capsys.readouterr().err
    kept = {image.numpy().tobytes() for split in SPLITS for image in getattr(data, split).images[:]}
    before = {image.numpy().tobytes() for split in SPLITS for image in getattr(whole, split).images[:]}
    assert len(before - kept) == 2
    assert "a/003.png" not in data.split_table


def test_many_bad_images_are_all_listed(make_folder: MakeFolder, capsys: pytest.CaptureFixture[str]) -> None:
    root = make_folder({"a": 10, "b": 10})
    for number in range(7):
        (root / "a" / f"{number:03}.png").write_text("no image")
    with pytest.raises(RequestError, match=r"^7 of 20 files .*; and 2 more;"):
        load(root, "memory")
    assert capsys.readouterr().err.count("cannot be read: ") == 7


def test_nothing_left_to_test_on(make_folder: MakeFolder) -> None:
    root = make_folder({"train/a": 6, "train/b": 6, "test/a": 1})
    (root / "test" / "a" / "000.png").write_text("no image")
    with pytest.raises(
        RequestError,
        match=r"^None of the images in the test split of photos can be read; "
        r"repair or replace them\.$",
    ):
        load_data(DataConfig(spec=str(root), skip_bad_images=True))
