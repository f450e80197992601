"""ViewsConfig and MixConfig: free of torch, and nonsense is refused in one sentence."""

import re
import subprocess
import sys
from typing import Any

import pytest

from supcon.views import SimAugment, ViewsConfig


def test_config_does_not_import_torch() -> None:
    code = "import sys, supcon.views.config, supcon.views.mix_config; sys.exit('torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        (
            {"augmentation": "sim"},
            "views.augmentation must be one of crop-flip, sim-augment, .*, got 'sim'; choose one",
        ),
        ({"count": 0}, "views.count must be at least 1, got 0; give a positive whole number."),
        ({"crop_area": (0.0, 1.0)}, "views.crop_area must be two numbers with 0 < first ≤ second ≤ 1, got"),
        ({"crop_area": (0.5, 1.5)}, "views.crop_area must be .* ≤ 1, got"),
        ({"crop_aspect": (2.0, 1.0)}, "views.crop_aspect must be two numbers with 0 < first ≤ second, got"),
        ({"blur_sigma": (0.0, 1.0)}, "views.blur_sigma must be two numbers"),
        ({"flip_probability": 1.1}, "views.flip_probability must be between 0 and 1, got 1.1; give a number"),
        ({"warp_probability": -0.1}, "views.warp_probability must be between 0 and 1, got -0.1"),
        ({"jitter_strength": -1.0}, "views.jitter_strength must be finite and at least 0, got -1.0"),
        ({"brightness": float("inf")}, "views.brightness must be finite and at least 0, got inf"),
        ({"contrast": float("nan")}, "views.contrast must be finite and at least 0, got nan"),
        ({"hue": 0.6, "jitter_strength": 1.0}, "views.hue times views.jitter_strength must be between 0 and 0.5"),
        ({"blur_kernel": 1.5}, "views.blur_kernel must be between 0 and 1, got 1.5"),
        ({"rand_augment_layers": 0}, "RandAugment's layers must be at least 1, got 0"),
        (
            {"rand_augment_magnitude": 11},
            "RandAugment's magnitude, with the authors operations, must be between 0 and 10",
        ),
        ({"rand_augment_operations": "timm"}, "views.rand_augment_operations must be one of authors, torchvision"),
        ({"auto_augment_policy": "v1"}, "views.auto_augment_policy must be one of imagenet-v0, .*, got 'v1'"),
        ({"stacked_order": "both"}, "views.stacked_order must be one of rand-augment-first, jitter-first"),
        ({"engine": "gpu"}, "views.engine must be one of auto, batched, per-image, got 'gpu'"),
    ],
)
def test_views_config_refuses(types_unchecked: None, changes: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message) as error:
        ViewsConfig(**changes)
    assert "\n" not in str(error.value)


def test_torchvision_operations_count_to_thirty() -> None:
    assert ViewsConfig(rand_augment_operations="torchvision", rand_augment_magnitude=30).rand_augment_magnitude == 30
    with pytest.raises(ValueError, match=re.escape("between 0 and 30, got 31")):
        ViewsConfig(rand_augment_operations="torchvision", rand_augment_magnitude=31)


def test_new_options_are_checked(types_unchecked: None) -> None:
    for name, value in (("crop_law", "x"), ("jitter_kind", "x"), ("blur_sigma_per", "x"), ("blur_border", "x")):
        options: Any = {name: value}
        with pytest.raises(ValueError, match=f"views.{name} must be one of"):
            ViewsConfig(**options)
    steps = SimAugment(crop_law="tensorflow", jitter_kind="tensorflow", blur_sigma_per="batch").steps
    assert [step.shared_draws for step in steps] == [0, 0, 0, 0, 1]
