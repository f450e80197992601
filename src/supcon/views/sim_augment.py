"""SimAugment: SimCLR's augmentation with the warp that the paper adds."""

from supcon.views.augmentation import Augmentation, shown_arguments
from supcon.views.config import BlurBorder, CropLaw, JitterKind, SigmaScope
from supcon.views.crop_flip import CropFlipStep
from supcon.views.steps.colour_jitter import ColourJitterStep
from supcon.views.steps.gaussian_blur import BlurStep
from supcon.views.steps.grey import GreyStep
from supcon.views.steps.step import AnyStep
from supcon.views.steps.warp import WarpStep


class SimAugment(Augmentation):
    """Crop, flip, colour jitter in random order, grey, thin-plate warp, Gaussian blur.

    The defaults are those of `ViewsConfig`, which documents the source of each value.
    """

    def __init__(
        self,
        size: int | None = None,
        *,
        crop_area: tuple[float, float] = (0.08, 1.0),
        crop_aspect: tuple[float, float] = (3 / 4, 4 / 3),
        crop_law: CropLaw = "torchvision",
        flip_probability: float = 0.5,
        jitter_probability: float = 0.8,
        jitter_kind: JitterKind = "torchvision",
        brightness: float = 0.4,
        contrast: float = 0.4,
        saturation: float = 0.4,
        hue: float = 0.1,
        grey_probability: float = 0.2,
        warp_probability: float = 0.5,
        warp_length: float = 23 / 224,
        blur_probability: float = 0.5,
        blur_sigma: tuple[float, float] = (0.1, 2.0),
        blur_sigma_per: SigmaScope = "image",
        blur_border: BlurBorder = "mirror",
        blur_kernel: float = 0.1,
    ) -> None:
        self._shown = shown_arguments(SimAugment, locals())
        colours_and_shapes: list[tuple[AnyStep, float]] = [
            (GreyStep(grey_probability), grey_probability),
            (WarpStep(warp_probability, warp_length), warp_probability),
            (BlurStep(blur_probability, blur_sigma, blur_kernel, blur_sigma_per, blur_border), blur_probability),
        ]
        self._steps: tuple[AnyStep, ...] = (
            CropFlipStep(size, crop_area, crop_aspect, flip_probability, crop_law),
            ColourJitterStep(jitter_probability, brightness, contrast, saturation, hue, jitter_kind),
            *(step for step, probability in colours_and_shapes if probability > 0),
        )

    @property
    def steps(self) -> tuple[AnyStep, ...]:
        """The steps, in the authors' order."""
        return self._steps
