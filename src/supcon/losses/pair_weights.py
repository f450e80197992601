"""Soft positives: checks of given weights, and weights from multi-hot labels."""

import torch
from torch import Tensor

from supcon.losses.engine.product import product
from supcon.losses.inputs.flat_rows import assert_later, can_look_at


def jaccard_weights(labels: Tensor, views: int = 1) -> Tensor:
    """Pair weights of images with several classes each: classes in common / classes in either.

    Two images of exactly the same classes are positives of weight 1, two without a common class are negatives. The
    views of one image have weight 1 even if it has no class. The paper has single labels only; for those, these weights
    give the same loss as the labels.

    Args:
        labels: [batch, class], 1 or True where an image has the class.
        views: how many views the projections have.

    Returns:
        [row, row] with row = batch * views, in the order of projections of shape [batch, view, dim].

    Examples:
        >>> jaccard_weights(torch.tensor([[1, 1, 0], [0, 1, 1], [0, 1, 1]]))
        tensor([[1.0000, 0.3333, 0.3333],
                [0.3333, 1.0000, 1.0000],
                [0.3333, 1.0000, 1.0000]])
    """
    _check_multi_hot(labels)
    has_class = labels.to(torch.float32)
    common = product(has_class, None)
    count = has_class.sum(1)
    weights = common / (count[:, None] + count - common).clamp(min=1)
    weights.fill_diagonal_(1)
    return weights.repeat_interleave(views, 0).repeat_interleave(views, 1)


def _check_multi_hot(labels: Tensor) -> None:
    is_right = ((labels == 0) | (labels == 1)).all()
    sentence = (
        f"labels must have shape [batch, class] and hold 0 and 1 only, got shape {list(labels.shape)} and "
        f"dtype {labels.dtype}."
    )
    if labels.ndim != 2:
        raise ValueError(sentence)
    if not can_look_at(labels):
        assert_later(is_right, sentence)
    elif not bool(is_right):
        raise ValueError(sentence)


def check_pair_weights(pair_weights: Tensor) -> None:
    """Raises an error unless the weights are a matrix of finite numbers of at least 0."""
    if not isinstance(pair_weights, Tensor) or pair_weights.ndim != 2:
        got = list(pair_weights.shape) if isinstance(pair_weights, Tensor) else type(pair_weights).__name__
        raise ValueError(f"pair_weights must be a tensor of shape [row, row], got {got}.")
    if pair_weights.requires_grad:
        raise ValueError("pair_weights must not require a gradient, since none flows to them; detach them first.")
    if pair_weights.is_complex():
        raise ValueError(f"pair_weights must be real numbers, got {pair_weights.dtype}.")
    is_right = ((pair_weights >= 0) & (pair_weights < torch.inf)).all()
    sentence = "pair_weights must be finite and not negative, got a weight that is not."
    if not can_look_at(pair_weights):
        assert_later(is_right, sentence)
    elif not bool(is_right):
        raise ValueError(sentence)
