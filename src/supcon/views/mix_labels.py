"""Labels of mixed images: soft targets for cross-entropy, weights of soft positives for contrastive losses."""

import torch
from torch import Tensor
from torch.nn.functional import one_hot

from supcon.base.errors import RequestError
from supcon.views.mix import Mixed


def mixed_targets(labels: Tensor, mixed: Mixed, classes: int) -> Tensor:
    """Class probabilities [row, class]: each of the two labels with its share.

    >>> mixed = Mixed(torch.zeros(2, 1, 1, 1), partners=torch.tensor([1, 0]), shares=torch.tensor([0.75, 1.0]))
    >>> mixed_targets(torch.tensor([0, 2]), mixed, classes=3)
    tensor([[0.7500, 0.0000, 0.2500],
            [0.0000, 0.0000, 1.0000]])
    """
    if len(labels) and not 0 <= int(labels.min()) <= int(labels.max()) < classes:
        raise RequestError(
            f"labels must be between 0 and {classes - 1} to be mixed, got {int(labels.min())} to {int(labels.max())}; "
            "leave unlabelled images out."
        )
    own = one_hot(labels.long(), classes).to(mixed.shares)
    share = mixed.shares.unsqueeze(1)
    return share * own + (1 - share) * own[mixed.partners]


def mixed_pair_weights(labels: Tensor | None, mixed: Mixed, views: int) -> Tensor:
    """Weights of pairs of rows of a mixed multiviewed batch as soft positives, [row, row].

    Our extension, not in the paper: the weight of a pair is the probability that labels drawn from the two rows, each
    by its shares, agree. Without mixing, weights are 0 and 1, and the loss is Eq. 2. `labels` are those of the images,
    [batch]; rows are in the order of views [batch, view, ...] flattened. An unlabelled image (label -1, or `labels`
    None) is a class of its own, which extends Eq. 1 in the same way.

    >>> mixed = Mixed(torch.zeros(2, 1, 1, 1), partners=torch.tensor([1, 0]), shares=torch.tensor([0.75, 1.0]))
    >>> mixed_pair_weights(torch.tensor([0, 2]), mixed, views=1)
    tensor([[0.6250, 0.2500],
            [0.2500, 1.0000]])
    """
    rows = len(mixed.shares)
    if views < 1 or rows % views or (labels is not None and len(labels) * views != rows):
        count = "no labels" if labels is None else f"{len(labels)} labels"
        raise RequestError(f"rows must be images times views, got {rows} rows, {count} and {views} views.")
    image = torch.arange(rows // views, device=mixed.shares.device)
    given = -1 - image if labels is None else labels.to(image.device, torch.int64)
    own_class = torch.where(given < 0, -1 - image, given).repeat_interleave(views)
    # Not a matrix product of class probabilities, which autocast and TF32 would round.
    drawn = ((own_class, mixed.shares), (own_class[mixed.partners], 1 - mixed.shares))
    weights = mixed.shares.new_zeros(rows, rows)
    for label, share in drawn:
        for other_label, other_share in drawn:
            weights += torch.outer(share, other_share) * (label.unsqueeze(1) == other_label)
    return weights
