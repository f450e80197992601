"""Settings of MixUp and CutMix."""

from typing import Any

import pytest

from supcon.views import MixConfig


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"method": "cutout"}, "mix.method must be one of none, mixup, cutmix, got 'cutout'"),
        ({"alpha": 0.0}, "mix.alpha must be above 0, got 0.0"),
        ({"alpha": -1.0}, "mix.alpha must be above 0, got -1.0"),
        ({"probability": 2.0}, "mix.probability must be between 0 and 1, got 2.0"),
    ],
)
def test_mix_config_refuses(types_unchecked: None, changes: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        MixConfig(**changes)
