"""A linear classifier trained jointly with the contrastive loss, in one stage (section 4.5 of the paper)."""

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from supcon.stages.trainer.collectives import mean_over_processes


class JointClassifier(nn.Module):
    """The classifier's cross-entropy on detached representations, as in the paper.

    `encoder_weight` above 0 (our extension) passes that share of the gradient to the encoder: the encoder then
    minimizes contrastive loss + `encoder_weight` * cross-entropy; the classifier still minimizes cross-entropy.
    """

    def __init__(self, classifier: nn.Linear, *, encoder_weight: float = 0.0, label_smoothing: float = 0.0) -> None:
        super().__init__()
        self.classifier = classifier
        self.encoder_weight, self.label_smoothing = encoder_weight, label_smoothing

    def forward(self, representations: Tensor, labels: Tensor) -> tuple[Tensor, Tensor]:
        """Cross-entropy and accuracy of rows [row, width] with labels [row]; unlabelled rows (-1) are ignored."""
        blocked = representations.detach()
        if self.encoder_weight:
            blocked = blocked + self.encoder_weight * (representations - blocked)
        logits, known = self.classifier(blocked).float(), labels >= 0
        losses = F.cross_entropy(
            logits, labels, reduction="none", ignore_index=-1, label_smoothing=self.label_smoothing
        )
        # All processes divide by the same count, so that DDP's mean of the gradients is the gradient of the whole
        # batch.
        count = mean_over_processes(known.sum().float()).clamp(min=1)
        with torch.no_grad():
            top1 = (logits.argmax(1) == labels).sum() / count
        return losses.sum() / count, top1
