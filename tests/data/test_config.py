from dataclasses import FrozenInstanceError
from typing import Any

import pytest

from supcon.base.errors import RequestError
from supcon.data.config import DataConfig


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"spec": ""}, "data.spec is empty; give the name of a data set or a folder of images."),
        ({"image_size": 3}, "data.image_size must be at least 4 pixels, got 3."),
        ({"image_size": -1}, "data.image_size must be at least 4 pixels, got -1."),
        ({"validation_fraction": 0.0}, "data.validation_fraction must be between 0 and 1, got 0.0."),
        ({"test_fraction": 1.0}, "data.test_fraction must be between 0 and 1, got 1.0."),
        ({"test_fraction": float("nan")}, "data.test_fraction must be between 0 and 1, got nan."),
        ({"mean": (123.7,)}, "data.mean must be between 0 and 1 (pixels scaled to 0..1), got (123.7,)."),
        ({"std": (0.2, 0.0)}, "data.std must be above 0 and at most 1 (pixels scaled to 0..1), got (0.2, 0.0)."),
        ({"std": (58.4,)}, "data.std must be above 0 and at most 1 (pixels scaled to 0..1), got (58.4,)."),
        ({"std": (float("nan"),)}, "data.std must be above 0 and at most 1 (pixels scaled to 0..1), got (nan,)."),
        ({"memory_limit": 0.0}, "data.memory_limit must be above 0 gigabytes, got 0.0."),
    ],
)
def test_bad_values_are_refused_in_one_sentence(values: dict[str, Any], message: str) -> None:
    with pytest.raises(RequestError) as caught:
        DataConfig(**values)
    assert str(caught.value) == message


def test_good_values_are_taken() -> None:
    config = DataConfig(spec="photos", image_size=4, mean=(0.0, 1.0), std=(1.0, 1e-3), memory_limit=0.5)
    assert (config.image_size, config.std) == (4, (1.0, 1e-3))


def test_a_config_does_not_change() -> None:
    with pytest.raises(FrozenInstanceError):
        DataConfig().spec = "other"  # type: ignore[misc]
