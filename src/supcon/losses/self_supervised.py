"""The self-supervised contrastive loss, Eq. 1 of the paper."""

from torch import Tensor

from supcon.losses.inputs.gathering import Group
from supcon.losses.reduction import Reduction
from supcon.losses.supcon import supcon_loss


def self_supervised_loss(
    projections: Tensor,
    *,
    temperature: float | Tensor = 0.1,
    reduction: Reduction = "mean",
    normalize: bool = True,
    gather_distributed: bool = False,
    process_group: Group = None,
) -> Tensor:
    """Eq. 1 of the paper (SimCLR's loss): an anchor's only positives are the other views of its image.

    With more than two views, the mean over the other views, as in Eq. 2.

    Args:
        projections: [batch, view, dim].
        temperature: tau.
        reduction: "mean" over anchors, "sum", or "none".
        normalize: scale every projection to unit norm first.
        gather_distributed: contrast with the rows of all processes.
        process_group: which processes; None: all.
    """
    return supcon_loss(
        projections,
        temperature=temperature,
        reduction=reduction,
        normalize=normalize,
        gather_distributed=gather_distributed,
        process_group=process_group,
    )
