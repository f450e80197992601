"""Published corrupted sets, in small: the same files with fewer images."""

from pathlib import Path

import numpy as np
import pytest
import torch
from PIL import Image

from supcon.base.errors import RequestError
from supcon.data.storage.decode import Layout
from supcon.evaluation import array_batches, folder_batches, published_batches

LAYOUT = Layout(image_size=6, stored_size=6, channels=3)
CLASSES = ("ant", "bee", "cat")


@pytest.fixture
def arrays(tmp_path: Path) -> Path:
    """Three images of five severities; image i of severity s is filled with 10 s + i."""
    levels = np.array([10 * severity + image for severity in range(1, 6) for image in range(3)], dtype=np.uint8)
    images = np.broadcast_to(levels[:, None, None, None], (15, 4, 6, 3)).copy()
    images[..., 2] = 7
    np.save(tmp_path / "fog.npy", images)
    np.save(tmp_path / "labels.npy", np.tile(np.array([2, 0, 1], dtype=np.uint8), 5))
    return tmp_path


@pytest.fixture
def folders(tmp_path: Path) -> Path:
    """`weather/fog/3/CLASS/…`, two images of each class."""
    for label, name in enumerate(CLASSES):
        (tmp_path / "weather" / "fog" / "3" / name).mkdir(parents=True)
        for index in range(2):
            picture = Image.new("RGB", (6, 6), (10 * label + index, 0, 0))
            picture.save(tmp_path / "weather" / "fog" / "3" / name / f"ILSVRC_{index}.png")
    return tmp_path


@pytest.mark.parametrize("batch_size", [1, 2, 3, 256])
def test_severities_lie_one_after_the_other(arrays: Path, batch_size: int) -> None:
    for severity in (1, 3, 5):
        batches = list(array_batches(arrays, "fog", severity, 3, batch_size=batch_size))
        images, labels = (torch.cat(parts) for parts in zip(*batches, strict=True))
        assert images.shape == (3, 3, 4, 6)
        assert images.dtype == torch.uint8
        assert images[:, 0, 0, 0].tolist() == [10 * severity + image for image in range(3)]
        assert (images[:, 2] == 7).all()
        assert labels.tolist() == [2, 0, 1]
        assert [len(part) for part, _ in batches] == [len(part) for part in torch.arange(3).split(batch_size)]


@pytest.mark.parametrize("batch_size", [2, 5])
def test_folders_are_read_by_class(folders: Path, batch_size: int) -> None:
    batches = list(folder_batches(folders, "fog", 3, ("bee", "ant", "cat", "dog"), LAYOUT, batch_size=batch_size))
    images, labels = (torch.cat(parts) for parts in zip(*batches, strict=True))
    assert images[:, 0, 0, 0].tolist() == [0, 1, 10, 11, 20, 21]
    assert labels.tolist() == [1, 1, 0, 0, 2, 2]


def test_either_kind_is_recognized(arrays: Path, folders: Path) -> None:
    assert len(next(iter(published_batches(arrays, "fog", 3, CLASSES, LAYOUT)))[1]) == 3
    (arrays / "fog.npy").unlink()
    assert len(next(iter(published_batches(folders, "fog", 3, CLASSES, LAYOUT)))[1]) == 6


def test_an_unknown_severity_is_refused(tmp_path: Path) -> None:
    with pytest.raises(RequestError, match=r"^The severity must be an integer from 1 to 5, got 0"):
        published_batches(tmp_path, "fog", 0, CLASSES, LAYOUT)


@pytest.mark.parametrize("shape", [(15, 4, 6), (14, 4, 6, 3), (15, 3, 4, 6)])
def test_images_of_the_wrong_shape_are_refused(arrays: Path, shape: tuple[int, ...]) -> None:
    np.save(arrays / "fog.npy", np.zeros(shape, dtype=np.uint8))
    with pytest.raises(RequestError) as caught:
        array_batches(arrays, "fog", 1, 3)
    assert str(caught.value) == (
        f"{arrays / 'fog.npy'} must be uint8 of shape [5 x images, height, width, 3], got uint8 of shape "
        f"{list(shape)}; give the published array."
    )


def test_images_that_are_not_bytes_are_refused(arrays: Path) -> None:
    np.save(arrays / "fog.npy", np.zeros((15, 4, 6, 3)))
    with pytest.raises(RequestError, match=r"got float64 of shape \[15, 4, 6, 3\]; give the published array\.$"):
        array_batches(arrays, "fog", 1, 3)


@pytest.mark.parametrize("labels", [np.zeros(14, np.uint8), np.zeros((15, 1), np.uint8), np.zeros(15)])
def test_labels_of_the_wrong_shape_are_refused(arrays: Path, labels: np.ndarray) -> None:
    np.save(arrays / "labels.npy", labels)
    with pytest.raises(RequestError, match=r"labels\.npy must be 15 integers, one for each image of fog\.npy, got "):
        array_batches(arrays, "fog", 1, 3)


def test_other_classes_are_refused(arrays: Path, folders: Path) -> None:
    with pytest.raises(RequestError, match=r"labels\.npy has the class 2 but the run has 2 classes, 0 to 1; give the "):
        array_batches(arrays, "fog", 1, 2)
    with pytest.raises(
        RequestError, match=r"3 has the class 'bee', which is not a class of the run; give the corrupted set "
    ):
        folder_batches(folders, "fog", 3, ("ant", "cat"), LAYOUT)


def test_files_that_are_no_arrays_are_refused(arrays: Path) -> None:
    (arrays / "fog.npy").write_bytes(b"not an array")
    with pytest.raises(RequestError, match=r"fog\.npy cannot be read as a NumPy array; download it again\.$"):
        array_batches(arrays, "fog", 1, 3)
    (arrays / "labels.npy").unlink()
    with pytest.raises(RequestError, match=r"cannot be read as a NumPy array; download it again\.$"):
        array_batches(arrays, "fog", 1, 3)


def test_pickles_in_arrays_are_not_run(arrays: Path) -> None:
    np.save(arrays / "fog.npy", np.array([{"a": 1}], dtype=object), allow_pickle=True)
    with pytest.raises(RequestError, match=r"fog\.npy cannot be read as a NumPy array; download it again\.$"):
        array_batches(arrays, "fog", 1, 3)


def test_incomplete_folders_are_refused(folders: Path) -> None:
    with pytest.raises(RequestError, match=r" has no severity 4 of the corruption fog; give a complete folder\.$"):
        folder_batches(folders, "fog", 4, CLASSES, LAYOUT)
    with pytest.raises(RequestError, match=r" has no severity 1 of the corruption snow; give a complete folder\.$"):
        folder_batches(folders, "snow", 1, CLASSES, LAYOUT)
    (folders / "weather" / "fog" / "5").mkdir()
    with pytest.raises(RequestError, match=r"5 has no class folders; give the corrupted set of the data the run was "):
        folder_batches(folders, "fog", 5, CLASSES, LAYOUT)
    (folders / "weather" / "fog" / "5" / "ant").mkdir()
    with pytest.raises(RequestError, match=r"5 has no images; give a complete folder\.$"):
        folder_batches(folders, "fog", 5, CLASSES, LAYOUT)
