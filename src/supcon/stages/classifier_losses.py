"""The losses of a linear classifier that is trained with the encoder, and the loss of one that knows nothing."""

import math
from collections.abc import Callable

import torch.nn.functional as F
from torch import Tensor, nn

from supcon.losses import large_margin_loss
from supcon.stages.multi_label import binary_cross_entropy

ClassifierLoss = Callable[[Tensor, nn.Linear, Tensor, float], Tensor]
"""`loss(representations, classifier, targets, progress)`; progress is the finished fraction of the training, 0 to 1."""


def uninformed_loss(classes: int, *, multi_label: bool) -> float:
    """The cross-entropy of a classifier that gives all classes the same probability.

    >>> round(uninformed_loss(10, multi_label=False), 3)
    2.303
    """
    return classes * math.log(2) if multi_label else math.log(classes)


class Softmax:
    """Cross-entropy; targets are class indices [row] or, for mixed rows, probabilities [row, class].

    Integer targets [row, class] are several labels per row and get binary cross-entropy for each class instead.
    """

    def __init__(self, label_smoothing: float = 0.0) -> None:
        self.label_smoothing = label_smoothing

    def __call__(self, representations: Tensor, classifier: nn.Linear, targets: Tensor, progress: float) -> Tensor:
        del progress
        if targets.ndim == 2 and not targets.is_floating_point():
            return binary_cross_entropy(classifier(representations), targets, self.label_smoothing)
        return F.cross_entropy(classifier(representations), targets, label_smoothing=self.label_smoothing)


class LargeMargin:
    """Large-margin softmax: starts as plain softmax and ends with the full margin.

    lambda decreases as in the README of its authors' code, 1000 (1 + 0.000025 step)^-35, with its 20,000 steps
    stretched or compressed to the length of this training (our choice). `classifier`'s bias is not used and must be 0.
    """

    def __init__(self, margin: int = 4, label_smoothing: float = 0.0) -> None:
        self.margin, self.label_smoothing = margin, label_smoothing

    def __call__(self, representations: Tensor, classifier: nn.Linear, targets: Tensor, progress: float) -> Tensor:
        return large_margin_loss(
            representations,
            classifier.weight,
            targets,
            margin=self.margin,
            plain=self.plain(progress),
            label_smoothing=self.label_smoothing,
        )

    @staticmethod
    def plain(progress: float) -> float:
        """lambda: the weight of the plain cosine relative to the cosine with a margin.

        >>> [round(LargeMargin.plain(progress), 4) for progress in (0, 0.5, 1)]
        [1000.0, 0.4056, 0.0007]
        """
        return float(1000 * (1 + progress / 2) ** -35)
