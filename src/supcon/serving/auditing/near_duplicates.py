"""Pairs of images that show the same picture: copies, also resized, re-encoded, brightened or mirrored.

Similar representations alone do not say so, since those of one class are all similar. They select pairs, whose small
pictures are then compared.
"""

from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from supcon.base.shapes import Images
from supcon.serving.cosine_search import Neighbours

SIDE = 32
"""Side of the small pictures that are compared, in pixels."""
_NEIGHBOURS = 10
"""Number of nearest neighbours that an image is compared with."""
_LEAST, _RATIO, _CERTAIN = 0.9, 0.25, 0.999
"""The least correlation of a pair, its distance relative to the usual one, and the correlation that always counts."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Duplicates:
    """Pairs of images, the most similar first."""

    first: NDArray[np.int64]
    second: NDArray[np.int64]
    similarity: NDArray[np.float32]
    """Correlation of the small pictures: 1 for copies."""


def small_pictures(images: Images) -> NDArray[np.float16]:
    """[image, pixel]: grey pictures of 32x32 pixels, without their own brightness and contrast."""
    grey = images.float().mean(1, keepdim=True)
    small = torch.nn.functional.interpolate(grey, (SIDE, SIDE), mode="bilinear", antialias=True, align_corners=False)
    flat = small.flatten(1)
    centred = flat - flat.mean(1, keepdim=True)
    return torch.nn.functional.normalize(centred, dim=1).half().numpy()


def near_duplicates(near: Neighbours, pictures: NDArray[np.float16]) -> Duplicates:
    """Pairs of neighbours whose pictures are far more alike than those of other neighbours, or nearly equal.

    A fixed threshold does not work: pictures of different trousers in Fashion-MNIST have a correlation of 0.98,
    different photographs of ants hardly any. Therefore 1 - correlation must be at most a quarter of its median over the
    nearest neighbours of either image.
    """
    k = min(_NEIGHBOURS, near.rows.shape[1])
    rows = near.rows[:, :k]
    apart = np.concatenate([_apart(pictures, range(at, min(at + 1024, len(rows))), rows) for at in _starts(rows)])
    usual = np.median(apart, axis=1)
    first = np.repeat(np.arange(len(rows)), k)
    second, distance = rows.reshape(-1), apart.reshape(-1)
    alike = distance <= np.minimum(_RATIO * np.maximum(usual[first], usual[second]), 1 - _LEAST)
    kept = np.flatnonzero(alike | (distance <= 1 - _CERTAIN))
    pairs = np.stack([np.minimum(first, second), np.maximum(first, second)], 1)[kept]
    pairs, first_index = np.unique(pairs, axis=0, return_index=True)
    similarity = 1 - distance[kept][first_index]
    order = np.argsort(-similarity, kind="stable")
    return Duplicates(first=pairs[order, 0], second=pairs[order, 1], similarity=similarity[order])


def _starts(rows: NDArray[np.int64]) -> range:
    return range(0, len(rows), 1024)


def _apart(pictures: NDArray[np.float16], part: range, rows: NDArray[np.int64]) -> NDArray[np.float32]:
    """[image, neighbour]: 1 - correlation, with the image as it is or mirrored, whichever is smaller."""
    own = torch.from_numpy(pictures[part.start : part.stop]).float()
    mirrored: Tensor = own.view(-1, SIDE, SIDE).flip(2).flatten(1)
    others = torch.from_numpy(pictures[rows[part.start : part.stop]]).float()
    alike = torch.maximum(*((others @ one[:, :, None]).squeeze(2) for one in (own, mirrored)))
    return (1 - alike).clamp(min=0).numpy()
