"""The published parameters of all corruptions.

The corruptions are those of ImageNet-C (Hendrycks and Dietterich, 2019). `LARGE` holds the values of the authors'
`make_imagenet_c.py`, for images of 224 pixels; `SMALL` those of their `make_cifar_c.py`, for images of 32. Each row
has the five severities from left to right. Lengths are in pixels and levels in 0..1; only the lengths of
`elastic_transform` are fractions of the image's side. Does not import torch.
"""

from typing import Any, Final, Literal

FrostTexture = Literal["photographs", "own"]
"""The ice of `frost`: the photographs of the published sets, or supcon's own texture."""

Severities = tuple[Any, Any, Any, Any, Any]

SEVERITIES: Final = (1, 2, 3, 4, 5)

CORRUPTIONS: Final = (
    "gaussian_noise",
    "shot_noise",
    "impulse_noise",
    "defocus_blur",
    "glass_blur",
    "motion_blur",
    "zoom_blur",
    "snow",
    "frost",
    "fog",
    "brightness",
    "contrast",
    "elastic_transform",
    "pixelate",
    "jpeg_compression",
)
"""The 15 corruptions of the mean corruption error, in the authors' order."""

EXTRA_CORRUPTIONS: Final = ("speckle_noise", "gaussian_blur", "spatter", "saturate")
"""The 4 extra corruptions that the authors reserve for tuning hyperparameters."""

LARGEST_SMALL_SIDE: Final = 64
"""Images whose shorter side is longer than this get the values published for 224 pixels."""

# The published code has 244 by mistake instead of 224, as its authors note; the published sets have these values.
_SIDE = 244 / 224

# fmt: off
LARGE: Final[dict[str, Severities]] = {
    # standard deviation
    "gaussian_noise": (0.08, 0.12, 0.18, 0.26, 0.38),
    # photons at full brightness
    "shot_noise": (60, 25, 12, 5, 3),
    # share of values that turn black or white
    "impulse_noise": (0.03, 0.06, 0.09, 0.17, 0.27),
    # radius of the disk, blur of its edge
    "defocus_blur": ((3, 0.1), (4, 0.5), (6, 0.5), (8, 0.5), (10, 0.5)),
    # blur, reach, rounds
    "glass_blur": ((0.7, 1, 2), (0.9, 2, 1), (1, 2, 3), (1.1, 3, 2), (1.5, 4, 2)),
    # radius, blur along the line
    "motion_blur": ((10, 3), (15, 5), (15, 8), (15, 12), (20, 15)),
    # end of the zooms (as numpy's arange takes it), step between them
    "zoom_blur": ((1.11, 0.01), (1.16, 0.01), (1.21, 0.02), (1.26, 0.02), (1.31, 0.03)),
    # mean, deviation, zoom, threshold of the flakes; radius, blur of their motion; weight of the image's own colours
    "snow": ((0.1, 0.3, 3, 0.5, 10, 4, 0.8), (0.2, 0.3, 2, 0.5, 12, 4, 0.7), (0.55, 0.3, 4, 0.9, 12, 8, 0.7),
             (0.55, 0.3, 4.5, 0.85, 12, 8, 0.65), (0.55, 0.3, 2.5, 0.85, 12, 12, 0.55)),
    # weight of the image, weight of the ice
    "frost": ((1, 0.4), (0.8, 0.6), (0.7, 0.7), (0.65, 0.7), (0.6, 0.75)),
    # thickness, decay of the plasma
    "fog": ((1.5, 2), (2, 2), (2.5, 1.7), (2.5, 1.5), (3, 1.4)),
    # added to the value of HSV
    "brightness": (0.1, 0.2, 0.3, 0.4, 0.5),
    # factor of the distance from the mean
    "contrast": (0.4, 0.3, 0.2, 0.1, 0.05),
    # strength, smoothness of the displacement; reach of the affine map's corners
    "elastic_transform": ((2 * _SIDE, 0.7 * _SIDE, 0.1 * _SIDE), (2 * _SIDE, 0.08 * _SIDE, 0.2 * _SIDE),
                          (0.05 * _SIDE, 0.01 * _SIDE, 0.02 * _SIDE), (0.07 * _SIDE, 0.01 * _SIDE, 0.02 * _SIDE),
                          (0.12 * _SIDE, 0.01 * _SIDE, 0.02 * _SIDE)),
    # size of the small image, as a fraction of the side
    "pixelate": (0.6, 0.5, 0.4, 0.3, 0.25),
    # quality
    "jpeg_compression": (25, 18, 15, 10, 7),
    # standard deviation at full brightness
    "speckle_noise": (0.15, 0.2, 0.35, 0.45, 0.6),
    # standard deviation
    "gaussian_blur": (1, 2, 3, 4, 6),
    # mean, deviation, blur, threshold of the liquid; strength of water or blur of mud; 0 water, 1 mud
    "spatter": ((0.65, 0.3, 4, 0.69, 0.6, 0), (0.65, 0.3, 3, 0.68, 0.6, 0), (0.65, 0.3, 2, 0.68, 0.5, 0),
                (0.65, 0.3, 1, 0.65, 1.5, 1), (0.67, 0.4, 1, 0.65, 1.5, 1)),
    # factor, offset of the saturation of HSV
    "saturate": ((0.3, 0), (0.1, 0), (2, 0), (5, 0.1), (20, 0.2)),
}

SMALL: Final[dict[str, Severities]] = {
    "gaussian_noise": (0.04, 0.06, 0.08, 0.09, 0.10),
    "shot_noise": (500, 250, 100, 75, 50),
    "impulse_noise": (0.01, 0.02, 0.03, 0.05, 0.07),
    "defocus_blur": ((0.3, 0.4), (0.4, 0.5), (0.5, 0.6), (1, 0.2), (1.5, 0.1)),
    "glass_blur": ((0.05, 1, 1), (0.25, 1, 1), (0.4, 1, 1), (0.25, 1, 2), (0.4, 1, 2)),
    "motion_blur": ((6, 1), (6, 1.5), (6, 2), (8, 2), (9, 2.5)),
    "zoom_blur": ((1.06, 0.01), (1.11, 0.01), (1.16, 0.01), (1.21, 0.01), (1.26, 0.01)),
    "snow": ((0.1, 0.2, 1, 0.6, 8, 3, 0.95), (0.1, 0.2, 1, 0.5, 10, 4, 0.9), (0.15, 0.3, 1.75, 0.55, 10, 4, 0.9),
             (0.25, 0.3, 2.25, 0.6, 12, 6, 0.85), (0.3, 0.3, 1.25, 0.65, 14, 12, 0.8)),
    "frost": ((1, 0.2), (1, 0.3), (0.9, 0.4), (0.85, 0.4), (0.75, 0.45)),
    "fog": ((0.2, 3), (0.5, 3), (0.75, 2.5), (1, 2), (1.5, 1.75)),
    "brightness": (0.05, 0.1, 0.15, 0.2, 0.3),
    "contrast": (0.75, 0.5, 0.4, 0.3, 0.15),
    "elastic_transform": ((0, 0, 0.08), (0.05, 0.2, 0.07), (0.08, 0.06, 0.06), (0.1, 0.04, 0.05), (0.1, 0.03, 0.03)),
    "pixelate": (0.95, 0.9, 0.85, 0.75, 0.65),
    "jpeg_compression": (80, 65, 58, 50, 40),
    "speckle_noise": (0.06, 0.1, 0.12, 0.16, 0.2),
    "gaussian_blur": (0.4, 0.6, 0.7, 0.8, 1),
    "spatter": ((0.62, 0.1, 0.7, 0.7, 0.5, 0), (0.65, 0.1, 0.8, 0.7, 0.5, 0), (0.65, 0.3, 1, 0.69, 0.5, 0),
                (0.65, 0.1, 0.7, 0.69, 0.6, 1), (0.65, 0.1, 0.5, 0.68, 0.6, 1)),
    "saturate": ((0.3, 0), (0.1, 0), (1.5, 0), (2, 0.1), (2.5, 0.2)),
}
# fmt: on


def published_parameters(name: str, severity: int, height: int, width: int) -> Any:
    """The parameters for images of this size; the lengths of `elastic_transform` are converted to pixels.

    >>> published_parameters("shot_noise", 3, 32, 32), published_parameters("shot_noise", 3, 224, 224)
    (100, 12)
    """
    side = min(height, width)
    values = (SMALL if side <= LARGEST_SMALL_SIDE else LARGE)[name][severity - 1]
    return tuple(side * share for share in values) if name == "elastic_transform" else values
