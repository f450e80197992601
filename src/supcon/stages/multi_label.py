"""Images with several labels, [image, class]: 1 present, 0 absent, -1 unknown.

An extension of ours, since the paper has one label per image: positives in stage 1 are weighted by the Jaccard
similarity of the two images' classes, and classifiers are trained with binary cross-entropy for each class.
"""

import torch.distributed as dist
import torch.nn.functional as F
from torch import Tensor

from supcon.losses import jaccard_weights
from supcon.stages.trainer.collectives import gather, is_distributed


def label_pair_weights(labels: Tensor, views: int) -> Tensor:
    """Soft positives [own row, row of all processes]; the only positives of an image without labels are its own views.

    Unknown labels count as absent.
    """
    if not is_distributed():
        return jaccard_weights(labels.clamp_min(0), views)
    rows, rank = len(labels) * views, dist.get_rank()
    return jaccard_weights(gather(labels).clamp_min(0), views)[rank * rows : (rank + 1) * rows]


def binary_cross_entropy(logits: Tensor, targets: Tensor, label_smoothing: float = 0.0) -> Tensor:
    """Summed over the classes of an image, averaged over images; unknown labels are ignored.

    `label_smoothing` moves targets from 0 and 1 towards one half.
    """
    counted = (targets >= 0).to(logits.dtype)
    smooth = targets.clamp_min(0).to(logits.dtype) * (1 - label_smoothing) + label_smoothing / 2
    losses = F.binary_cross_entropy_with_logits(logits, smooth, reduction="none")
    return (losses * counted).sum() / len(logits)
