"""The table of methods: the loss and the stages of each; does not import torch. A new method is a new row."""

from dataclasses import dataclass
from typing import Literal

Method = Literal[
    "supcon",
    "supcon-in",
    "simclr",
    "n-pairs",
    "triplet",
    "cross-entropy",
    "cross-entropy-two-stage",
    "large-margin",
    "joint",
]

Loss = Literal["supcon-out", "supcon-in", "n-pairs", "triplet", "cross-entropy", "large-margin"]
"""The loss of stage 1: a contrastive loss of projections or, for the last two, the loss of a linear classifier."""


@dataclass(frozen=True, kw_only=True)
class MethodSpec:
    """How a method trains."""

    loss: Loss
    """The loss of stage 1."""

    labelled: bool = True
    """Whether stage 1 uses the labels."""

    joint_classifier: bool = False
    """Whether a linear classifier is trained in stage 1, jointly with the contrastive loss."""

    stage2: bool = True
    """Whether a new linear classifier is trained on the frozen encoder afterwards."""

    @property
    def contrastive(self) -> bool:
        """Whether stage 1 trains encoder and projection with a contrastive loss, instead of encoder and classifier."""
        return self.loss not in ("cross-entropy", "large-margin")

    @property
    def uses_eq_1_to_3(self) -> bool:
        """Whether the loss is one of Eq. 1 to 3, with its options: queue, soft positives, max positives."""
        return self.loss in ("supcon-out", "supcon-in")

    @property
    def mixes(self) -> bool:
        """Whether the method supports mixup and cutmix; a joint classifier does not, it has no mixed targets."""
        return self.loss == "cross-entropy" or (self.uses_eq_1_to_3 and not self.joint_classifier)


METHODS: dict[Method, MethodSpec] = {
    "supcon": MethodSpec(loss="supcon-out"),  # Eq. 2
    "supcon-in": MethodSpec(loss="supcon-in"),  # Eq. 3
    "simclr": MethodSpec(loss="supcon-out", labelled=False),  # Eq. 1
    "n-pairs": MethodSpec(loss="n-pairs"),  # supplementary, section 5
    "triplet": MethodSpec(loss="triplet"),  # supplementary, section 4
    "cross-entropy": MethodSpec(loss="cross-entropy", stage2=False),
    "cross-entropy-two-stage": MethodSpec(loss="cross-entropy"),  # supplementary, "Two stage training on Cross Entropy"
    "large-margin": MethodSpec(loss="large-margin", stage2=False),  # Liu et al. 2016, Table 2 of the paper
    "joint": MethodSpec(loss="supcon-out", joint_classifier=True, stage2=False),  # section 4.5: "trained jointly"
}
