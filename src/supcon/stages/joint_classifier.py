"""A linear classifier trained beside the contrastive loss, so that one stage is enough (section 4.5 of the paper)."""

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from supcon.stages.trainer.collectives import mean_over_processes


class JointClassifier(nn.Module):
    """The classifier's cross-entropy on representations whose gradient is blocked, as in the paper.

    `encoder_weight` above 0 lets that share of the gradient through to the encoder, which is ours: the encoder then
    minimises contrastive loss + `encoder_weight` * cross-entropy, the classifier cross-entropy as before.
    """

    def __init__(self, classifier: nn.Linear, *, encoder_weight: float = 0.0, label_smoothing: float = 0.0) -> None:
        super().__init__()
        self.classifier = classifier
        self.encoder_weight, self.label_smoothing = encoder_weight, label_smoothing

    def forward(self, representations: Tensor, labels: Tensor) -> tuple[Tensor, Tensor]:
        """Cross-entropy and accuracy of rows [row, width] with labels [row]; unlabelled rows, -1, do not count."""
        blocked = representations.detach()
        if self.encoder_weight:
            blocked = blocked + self.encoder_weight * (representations - blocked)
        logits, known = self.classifier(blocked).float(), labels >= 0
        losses = F.cross_entropy(
            logits, labels, reduction="none", ignore_index=-1, label_smoothing=self.label_smoothing
        )
        # Every process divides by the same count, so that the average of the gradients is that of the whole batch.
        count = mean_over_processes(known.sum().float()).clamp(min=1)
        with torch.no_grad():
            top1 = (logits.argmax(1) == labels).sum() / count
        return losses.sum() / count, top1
