"""What the paper calls Aug(·): random views of images, whole batches at a time.

Importing this folder does not import torch, so that recipes can name a `ViewsConfig` without it.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from supcon.views.config import ViewsConfig
from supcon.views.mix_config import MixConfig

if TYPE_CHECKING:
    from supcon.views.arrangement import Arrangement, arrange_views
    from supcon.views.augmentation import Augmentation, Place
    from supcon.views.auto_augment import AutoAugment
    from supcon.views.chain import Chain
    from supcon.views.crop_flip import CropFlip
    from supcon.views.from_config import make_augmentation
    from supcon.views.mix import Mixed, cutmix, mixup
    from supcon.views.mix_labels import mixed_pair_weights, mixed_targets
    from supcon.views.multiview import make_views
    from supcon.views.per_image import PerImage
    from supcon.views.picture import draw_sweep, draw_views
    from supcon.views.rand_augment import RandAugment
    from supcon.views.sim_augment import SimAugment
    from supcon.views.stacked_rand_augment import StackedRandAugment

__all__ = [
    "Arrangement",
    "Augmentation",
    "AutoAugment",
    "Chain",
    "CropFlip",
    "MixConfig",
    "Mixed",
    "PerImage",
    "Place",
    "RandAugment",
    "SimAugment",
    "StackedRandAugment",
    "ViewsConfig",
    "arrange_views",
    "cutmix",
    "draw_sweep",
    "draw_views",
    "make_augmentation",
    "make_views",
    "mixed_pair_weights",
    "mixed_targets",
    "mixup",
]

_HOME = {
    "Arrangement": "arrangement",
    "Augmentation": "augmentation",
    "AutoAugment": "auto_augment",
    "Chain": "chain",
    "CropFlip": "crop_flip",
    "Mixed": "mix",
    "PerImage": "per_image",
    "Place": "augmentation",
    "RandAugment": "rand_augment",
    "SimAugment": "sim_augment",
    "StackedRandAugment": "stacked_rand_augment",
    "arrange_views": "arrangement",
    "cutmix": "mix",
    "draw_sweep": "picture",
    "draw_views": "picture",
    "make_augmentation": "from_config",
    "make_views": "multiview",
    "mixed_pair_weights": "mix_labels",
    "mixed_targets": "mix_labels",
    "mixup": "mix",
}


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOME[name]}"), name)


def __dir__() -> list[str]:
    return __all__
