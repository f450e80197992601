from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest
import torch
from PIL import Image

from supcon.base.errors import RequestError
from supcon.data.config import DataConfig
from supcon.data.image_data import ImageData, Split, channel_statistics
from supcon.data.load import load_data

MakeFolder = Callable[..., Path]


def read(root: Path, seed: int = 0, **values: object) -> ImageData:
    return load_data(DataConfig(spec=str(root), **values), seed)  # type: ignore[arg-type]


def identities(split: Split) -> set[tuple[int, ...]]:
    """The fixture's images are noise, so an image is known by its pixels."""
    return {tuple(image.flatten().tolist()) for image in split.images[:]}


def test_every_image_is_in_one_split_with_every_class_in_each(make_folder: MakeFolder) -> None:
    data = read(make_folder({"a": 30, "b": 20, "c": 3}))
    splits = [data.train, data.validation, data.test]
    assert len(set.union(*map(identities, splits))) == sum(map(len, splits)) == 53
    assert all(set(split.labels.tolist()) == {0, 1, 2} for split in splits)
    assert data.class_names == ("a", "b", "c")
    assert data.name == "photos"


def test_labels_stay_with_their_images(make_folder: MakeFolder) -> None:
    root = make_folder({"a": 8, "b": 8})
    data = read(root)
    found = {(tuple(image.flatten().tolist()), int(label)) for split in (data.train, data.validation, data.test)
             for image, label in zip(split.images[:], split.labels, strict=True)}  # fmt: skip
    expected = {
        (tuple(np.asarray(Image.open(path)).transpose(2, 0, 1).flatten().tolist()), "ab".index(path.parent.name))
        for path in root.rglob("*.png")
    }
    assert found == expected


def test_the_seed_decides_what_is_held_out(make_folder: MakeFolder) -> None:
    root = make_folder({"a": 20, "b": 20})
    first, again, other = read(root, 1), read(root, 1), read(root, 2)
    for split in ("train", "validation", "test"):
        assert torch.equal(getattr(first, split).images, getattr(again, split).images)
    assert identities(first.test) != identities(other.test)


def test_fractions_are_of_what_is_there(make_folder: MakeFolder) -> None:
    data = read(make_folder({"a": 50, "b": 50}), test_fraction=0.3, validation_fraction=0.2)
    assert data.counts == {"train": 56, "validation": 14, "test": 30}


def test_given_test_images_are_the_test_split(make_folder: MakeFolder) -> None:
    root = make_folder({"train/a": 10, "train/b": 10, "test/a": 3, "test/b": 2})
    assert read(root).counts == {"train": 18, "validation": 2, "test": 5}


def test_validation_folder_alone_is_reported_on_and_nothing_is_chosen_on_it(make_folder: MakeFolder) -> None:
    root = make_folder({"train/a": 10, "train/b": 10, "val/a": 3, "val/b": 2})
    data = read(root)
    assert data.counts == {"train": 18, "validation": 2, "test": 5}
    assert identities(data.test).isdisjoint(identities(data.validation))


def test_three_given_splits_are_taken_as_they_are(make_folder: MakeFolder) -> None:
    root = make_folder({"train/a": 1, "train/b": 2, "val/a": 3, "test/a": 4, "test/b": 1})
    assert read(root).counts == {"train": 3, "validation": 3, "test": 5}


def test_size_channels_and_statistics_come_from_the_data(make_folder: MakeFolder) -> None:
    data = read(make_folder({"a": 5, "b": 5}, size=(24, 12), mode="L"))
    assert (data.channels, data.image_size, data.stored_size) == (1, 12, 12)
    assert (data.mean, data.std) == channel_statistics(data.train.images[:])


def test_larger_images_are_stored_with_room_to_crop(make_folder: MakeFolder) -> None:
    data = read(make_folder({"a": 3, "b": 3}, size=(40, 32)), image_size=14)
    assert (data.image_size, data.stored_size) == (14, 16)


def test_progress_counts_every_file(make_folder: MakeFolder) -> None:
    seen: list[object] = []

    @contextmanager
    def bar(description: str, total: int, unit: str) -> Iterator[Callable[..., None]]:
        seen.extend([description, total, unit])
        yield lambda steps: seen.append(steps)

    load_data(DataConfig(spec=str(make_folder({"a": 5, "b": 4}))), 0, bar)
    assert seen == ["decoding images", 9, "images", 9]


@pytest.mark.parametrize(
    ("counts", "message"),
    [
        (
            {"a": 9, "b": 2},
            "The class 'b' has 2 training image(s) and needs 3, one for each of train, test, validation",
        ),
        (
            {"train/a": 1, "train/b": 5, "test/a": 1},
            "The class 'a' has 1 training image(s) and needs 2, one for each of train, validation",
        ),
    ],
)
def test_too_few_images_to_hold_out_from(make_folder: MakeFolder, counts: dict[str, int], message: str) -> None:
    with pytest.raises(RequestError) as caught:
        read(make_folder(counts))
    assert str(caught.value) == f"{message}; add images, or folders for these splits."


def test_a_set_that_does_not_fit_is_refused_before_decoding(make_folder: MakeFolder) -> None:
    root = make_folder({"a": 5, "b": 5})
    (root / "a" / "000.png").write_text("no image")
    with pytest.raises(RequestError, match=r"^The images of photos take 0\.0 GB decoded"):
        read(root, memory_limit=1e-9, hold="memory")


def test_a_file_that_is_no_image_stops_everything(make_folder: MakeFolder) -> None:
    root = make_folder({"a": 5, "b": 5})
    (root / "b" / "notes.txt").write_text("no image")
    with pytest.raises(RequestError, match=rf"cannot be read as images: {root}/b/notes\.txt \(not an image\)"):
        read(root)
