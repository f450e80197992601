import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest
import torch
from PIL import Image

from supcon.base.errors import RequestError, WorkError
from supcon.data.batches.loader import ordered_loader, training_loader
from supcon.data.config import DataConfig, HoldName
from supcon.data.image_data import ImageData, join_splits
from supcon.data.load import load_data
from supcon.data.storage.mapped import MappedImages
from supcon.data.storage.stored_images import StoredImages

MakeFolder = Callable[..., Path]
SPLITS = ("train", "validation", "test")


class Bars:
    """A progress bar that remembers what it was asked to show."""

    def __init__(self) -> None:
        self.titles: list[str] = []

    @contextmanager
    def __call__(self, description: str, total: int, unit: str) -> Iterator[Callable[..., None]]:
        self.titles.append(description)
        yield lambda steps: None


def load(root: Path, hold: HoldName, bars: Bars | None = None, seed: int = 0) -> ImageData:
    return load_data(DataConfig(spec=str(root), hold=hold), seed, bars or Bars())


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


@pytest.mark.parametrize(("hold", "workers"), [("memory", 0), ("cache", 0), ("decode", os.cpu_count())])
def test_only_decoding_is_given_to_workers(make_folder: MakeFolder, hold: HoldName, workers: int) -> None:
    data = load(make_folder({"a": 8, "b": 8}), hold)
    loader = training_loader(data.train, 4, seed=0)
    assert loader.num_workers == workers
    assert sum(len(labels) for _, labels in ordered_loader(data.test, 2)) == len(data.test)
    assert [images.shape for images, _ in loader] == [(4, 3, 8, 8)] * (len(data.train) // 4)


@pytest.mark.parametrize(("hold", "title"), [("cache", "caching images"), ("decode", "checking images")])
def test_a_cache_is_built_once_and_again_when_content_changes(
    make_folder: MakeFolder, own_cache: Path, hold: HoldName, title: str
) -> None:
    root, bars = make_folder({"a": 8, "b": 8}), Bars()
    first = load(root, hold, bars)
    load(root, hold, bars, seed=5)  # other splits of the same images
    assert bars.titles == [title]
    os.utime(root / "a" / "000.png")  # touched, not changed
    load(root, hold, bars)
    assert bars.titles == [title]
    Image.fromarray(np.zeros((8, 8, 3), np.uint8)).save(root / "a" / "001.png")
    changed = load(root, hold, bars)
    assert bars.titles == [title] * 2
    assert changed.mean != first.mean
    assert not list(own_cache.rglob("*.partial"))


def test_a_cut_cache_is_built_again(make_folder: MakeFolder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SUPCON_CACHE", str(tmp_path / "cache"))
    root, bars = make_folder({"a": 8, "b": 8}), Bars()
    first = load(root, "cache", bars)
    [pixels] = tmp_path.rglob("pixels")
    pixels.write_bytes(pixels.read_bytes()[:-1])
    assert torch.equal(load(root, "cache", bars).test.images[:], first.test.images[:])
    [facts] = tmp_path.rglob("facts.npz")
    facts.write_bytes(b"no facts")
    load(root, "cache", bars)
    assert len(bars.titles) == 3


def test_a_killed_build_leaves_nothing_that_is_used(
    make_folder: MakeFolder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SUPCON_CACHE", str(tmp_path / "cache"))
    root = make_folder({"a": 8, "b": 8})

    def stop(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(np, "savez", stop)
        with pytest.raises(KeyboardInterrupt):
            load(root, "cache")
    assert not list(tmp_path.rglob("pixels"))
    load(root, "cache")


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


def test_a_mapped_file_gives_pages_back(tmp_path: Path) -> None:
    rows, shape = 16_000, (1, 64, 64)
    pixels = np.random.default_rng(0).integers(0, 256, (rows, *shape), dtype=np.uint8)
    (tmp_path / "pixels").write_bytes(pixels.tobytes())
    order = np.random.default_rng(1).permutation(rows)
    mapped = MappedImages(tmp_path / "pixels", rows, shape, limit=16_000_000)
    before = _file_pages()
    most = 0
    for part in np.array_split(order, 40):
        np.testing.assert_array_equal(mapped.read(part), pixels[part])
        most = max(most, _file_pages() - before)
    assert most < 16_000_000, "65 MB were read"


def _file_pages() -> int:
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) * 1024 for line in lines if line.startswith("RssFile"))


def test_a_file_that_goes_bad_while_training_is_named(make_folder: MakeFolder) -> None:
    root = make_folder({"a": 8, "b": 8})
    data = load(root, "decode")
    for path in root.rglob("*.png"):
        path.write_text("no image")
    with pytest.raises(
        WorkError,
        match=r"\.png could be read when training started but cannot be read now: not "
        r"an image;",
    ):
        data.train.images[:]


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
