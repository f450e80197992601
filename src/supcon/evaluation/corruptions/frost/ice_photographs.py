"""The photographs of ice that the published sets use, read from the package `imagecorruptions`.

Only its image files are used. Its code does not run with current numpy and is never imported.
"""

from functools import lru_cache
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as F
from jaxtyping import Float
from PIL import Image
from torch import Tensor

from supcon.evaluation.corruptions.draws import Draws
from supcon.evaluation.corruptions.levels import Levels, grey
from supcon.evaluation.corruptions.parameters import LARGEST_SMALL_SIDE

_PACKAGE = "imagecorruptions"
_FILES = ("frost1.png", "frost2.png", "frost3.png", "frost4.jpg", "frost5.jpg")
"""The files that the published code uses; the package has a sixth that it never draws."""

_ENLARGEMENT = 1.1
"""A photograph smaller than the image is resized to this multiple of the image's size, as in `imagecorruptions`."""


def photographs_folder() -> Path | None:
    """The folder of the photographs; None if the package is not installed or has none."""
    spec = find_spec(_PACKAGE)
    roots = list(spec.submodule_search_locations or ()) if spec is not None else []
    folders = (Path(root) / "frost" for root in roots)
    return next((folder for folder in folders if all((folder / file).is_file() for file in _FILES)), None)


def photographs_name() -> str:
    """The description of the photographs in results."""
    return f"photographs of {_PACKAGE} {version(_PACKAGE)}"


def photographed_ice(images: Levels, draws: Draws) -> Levels:
    """A random crop of one of the five photographs for every image."""
    channels, height, width = images.shape[1:]
    ice = _photographs(height, width)
    chosen, down, across = draws.uniform(3).unbind(1)
    pieces = []
    for one, y, x in zip((chosen * len(ice)).long().tolist(), down.tolist(), across.tolist(), strict=True):
        top, left = int(y * (ice[one].shape[1] - height)), int(x * (ice[one].shape[2] - width))
        pieces.append(ice[one][:, top : top + height, left : left + width])
    piece = torch.stack(pieces)
    return (piece if channels == 3 else grey(piece)).to(images.device)


@lru_cache(maxsize=4)
def _photographs(height: int, width: int) -> tuple[Float[Tensor, "3 _ _"], ...]:
    """The photographs, each larger than height x width; for small images only every fifth pixel.

    CIFAR-10-C's code resizes them to a fifth with OpenCV's bilinear resize, which selects exactly these pixels.
    """
    folder = photographs_folder()
    assert folder is not None
    step = slice(2, None, 5) if min(height, width) <= LARGEST_SMALL_SIDE else slice(None)
    return tuple(_enlarged(_read(folder / file)[:, step, step], height, width) for file in _FILES)


def _read(file: Path) -> Float[Tensor, "3 _ _"]:
    with Image.open(file) as image:
        return torch.from_numpy(np.array(image.convert("RGB"), dtype=np.float32)).permute(2, 0, 1).contiguous()


def _enlarged(photograph: Float[Tensor, "3 _ _"], height: int, width: int) -> Float[Tensor, "3 _ _"]:
    have = photograph.shape[1:]
    if have[0] > height and have[1] > width:
        return photograph
    scale = _ENLARGEMENT * max(height / have[0], width / have[1])
    size = [int(np.ceil(side * scale)) for side in have]
    return F.interpolate(photograph[None], size=size, mode="bicubic", align_corners=False)[0].clamp(0, 255)
