"""Training images whose neighbours have another label: a simple ranking of labels that may be wrong."""

from dataclasses import dataclass

import numpy as np
import torch
from jaxtyping import Float, Int
from torch import Tensor

from supcon.evaluation import nearest_rows

_NEIGHBOURS = 10
_LISTED = 24
_CHECKED = 10_000
"""Largest number of images that are checked; all training images can be neighbours."""
_NEAREST_SHOWN = 3


@dataclass(frozen=True, kw_only=True, eq=False)
class LabelSuspects:
    """Training images, the most suspicious first."""

    images: Int[np.ndarray, " suspect"]
    nearest: Int[np.ndarray, "suspect neighbour"]
    """The most similar other training images."""
    voted: Int[np.ndarray, " suspect"]
    """The class that most of the neighbours have."""
    share: Float[np.ndarray, " suspect"]
    """Share of the neighbours that have it."""
    own_share: Float[np.ndarray, " suspect"]
    """Share of the neighbours that have the image's own label."""


def label_suspects(bank: Float[Tensor, "bank dim"], labels: Int[Tensor, " bank"], classes: int) -> LabelSuspects:
    """Images that more neighbours contradict than confirm, by the difference; `bank` has unit rows.

    The encoder was trained with these labels, so it may have learned wrong ones: an image that is not listed can still
    have a wrong label.
    """
    k = min(_NEIGHBOURS, len(bank) - 1)
    checked = torch.arange(0, len(bank) if k else 0, max(1, -(-len(bank) // _CHECKED)))
    others = _without_itself(nearest_rows(bank[checked], bank, k + 1)[0], checked)
    votes = torch.zeros(len(checked), classes).scatter_add_(1, labels[others], torch.full(others.shape, 1 / max(k, 1)))
    share, voted = votes.max(1)
    own = votes.gather(1, labels[checked, None]).squeeze(1)
    listed = torch.argsort(share - own, descending=True, stable=True)[:_LISTED]
    listed = listed[share[listed] > own[listed]]
    return LabelSuspects(
        images=checked[listed].numpy(),
        nearest=others[listed, :_NEAREST_SHOWN].numpy(),
        voted=voted[listed].numpy(),
        share=share[listed].numpy(),
        own_share=own[listed].numpy(),
    )


def _without_itself(nearest: Tensor, images: Tensor) -> Tensor:
    """The rows without the image itself, which need not be the first among equal ones."""
    is_itself = nearest == images[:, None]
    order = torch.argsort(is_itself.int(), dim=1, stable=True)
    return nearest.gather(1, order)[:, :-1]
