"""Builds the augmentation from a `ViewsConfig`."""

from supcon.views.augmentation import Augmentation
from supcon.views.auto_augment import AutoAugment
from supcon.views.chain import Chain
from supcon.views.config import ViewsConfig
from supcon.views.crop_flip import CropFlip
from supcon.views.rand_augment import RandAugment
from supcon.views.sim_augment import SimAugment
from supcon.views.stacked_rand_augment import StackedRandAugment


def make_augmentation(config: ViewsConfig, size: int, channels: int) -> Augmentation:
    """Builds the augmentation that `config` names, with views of `size` x `size` pixels.

    For grey images (`channels` 1) saturation, hue and grey are off.

    >>> config = ViewsConfig(augmentation="rand-augment", rand_augment_magnitude=5)
    >>> [type(step).__name__ for step in make_augmentation(config, size=32, channels=3).steps]
    ['CropFlipStep', 'PolicyStep']
    """
    if size < 1 or channels not in (1, 3):
        raise ValueError(f"size must be at least 1 and channels 1 or 3, got {size} and {channels}; change them.")
    crop_flip = _crop_flip(config, size)
    if config.augmentation == "crop-flip":
        return crop_flip
    if config.augmentation == "auto-augment":
        return Chain([*crop_flip.steps, *AutoAugment(config.auto_augment_policy).steps])
    if config.augmentation == "rand-augment":
        return Chain([*crop_flip.steps, *_rand_augment(config).steps])
    sim_augment = _sim_augment(config, size, coloured=channels == 3)
    if config.augmentation == "sim-augment":
        return sim_augment
    return StackedRandAugment(
        config.rand_augment_layers,
        config.rand_augment_magnitude,
        operations=config.rand_augment_operations,
        order=config.stacked_order,
        sim_augment=sim_augment,
    )


def _crop_flip(config: ViewsConfig, size: int) -> CropFlip:
    return CropFlip(
        size,
        crop_area=config.crop_area,
        crop_aspect=config.crop_aspect,
        crop_law=config.crop_law,
        flip_probability=config.flip_probability,
    )


def _rand_augment(config: ViewsConfig) -> RandAugment:
    return RandAugment(
        config.rand_augment_layers, config.rand_augment_magnitude, operations=config.rand_augment_operations
    )


def _sim_augment(config: ViewsConfig, size: int, *, coloured: bool) -> SimAugment:
    return SimAugment(
        size,
        crop_area=config.crop_area,
        crop_aspect=config.crop_aspect,
        crop_law=config.crop_law,
        flip_probability=config.flip_probability,
        jitter_probability=config.jitter_probability,
        jitter_kind=config.jitter_kind,
        brightness=config.brightness * config.jitter_strength,
        contrast=config.contrast * config.jitter_strength,
        saturation=config.saturation * config.jitter_strength if coloured else 0.0,
        hue=config.hue * config.jitter_strength if coloured else 0.0,
        grey_probability=config.grey_probability if coloured else 0.0,
        warp_probability=config.warp_probability,
        warp_length=config.warp_length,
        blur_probability=config.blur_probability,
        blur_sigma=config.blur_sigma,
        blur_sigma_per=config.blur_sigma_per,
        blur_border=config.blur_border,
        blur_kernel=config.blur_kernel,
    )
