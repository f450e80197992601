import numpy as np
import pytest

from supcon.data.repeated_images import repeated_sentence

DIGESTS = np.array([[1, 1], [2, 2], [3, 3], [2, 2], [4, 4], [1, 1]], dtype=np.uint8)


def sentence(test: list[int], validation: list[int] | None = None) -> str | None:
    parts = {
        "train": np.array([0, 1]),
        "validation": np.array(validation or [], dtype=np.int64),
        "test": np.array(test),
    }
    return repeated_sentence(DIGESTS, parts, lambda place: f"{place}.png")


def test_nothing_is_said_of_different_images() -> None:
    assert sentence([2, 4]) is None


@pytest.mark.parametrize(
    ("test", "validation", "words"),
    [
        ([2, 3], [], "1 of the 2 test images (3.png = 1.png) are training images byte for byte"),
        ([3, 5], [2], "2 of the 2 test images (3.png = 1.png, 5.png = 0.png)"),
        ([3], [5], "1 of the 1 validation images (5.png = 0.png) and 1 of the 1 test images (3.png = 1.png)"),
    ],
)
def test_repeated_images_are_counted_and_named(test: list[int], validation: list[int], words: str) -> None:
    assert words in (sentence(test, validation) or "")
