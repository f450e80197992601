"""Large-margin softmax (Liu et al. 2016), a baseline of the paper's Table 2."""

import math

import torch
from torch import Tensor
from torch.nn.functional import cross_entropy


def large_margin_loss(
    representations: Tensor,
    weight: Tensor,
    labels: Tensor,
    *,
    margin: int = 4,
    plain: float = 0.0,
    label_smoothing: float = 0.0,
) -> Tensor:
    """Softmax cross-entropy in which the angle between a row and the weights of its class is multiplied by `margin`.

    With theta the angle between a row x and the weights W_y of its class y, the logit |W_y| |x| cos(theta) of that
    class becomes |W_y| |x| psi(theta), where psi(theta) = (-1)^k cos(m theta) - 2k for theta in [k pi / m,
    (k + 1) pi / m] (Eq. 6 of Liu et al.). With `plain` (their lambda) above 0 it is (plain * cos + psi) / (plain + 1)
    instead, which is how they start training. The classifier has no bias; predictions are by x . W as usual.

    Args:
        representations: [row, width], not of unit norm: the norm is the row's temperature.
        weight: [class, width].
        labels: [row], classes from 0 up.
        margin: m, a whole number from 1 up; 1 is plain softmax.
        plain: lambda, the weight of the plain cosine.
        label_smoothing: as in torch's cross_entropy.

    Examples:
        >>> x, w = torch.tensor([[1.0, 1.0]]), torch.eye(2)  # 45 degrees from both classes; cos(2 * 45 degrees) = 0
        >>> large_margin_loss(x, w, torch.tensor([0]), margin=2)  # log(1 + e^1) - 0
        tensor(1.3133)
    """
    _check(representations, weight, labels, margin, plain)
    with torch.autocast(representations.device.type, enabled=False):
        x, w = (t if t.dtype == torch.float64 else t.float() for t in (representations, weight))
        logits = x @ w.t()
        own = logits.gather(1, labels[:, None]).squeeze(1)
        norm = x.norm(dim=1) * w[labels].norm(dim=1)
        widened = norm * widened_cosine(own / norm.clamp(min=torch.finfo(x.dtype).tiny), margin)
        # A row of zeros has no angle; its logits stay 0.
        own = torch.where(norm > 0, (plain * own + widened) / (plain + 1), own)
        logits = logits.scatter(1, labels[:, None], own[:, None])
        return cross_entropy(logits, labels, label_smoothing=label_smoothing)


def widened_cosine(cosine: Tensor, margin: int) -> Tensor:
    """psi: (-1)^k cos(m theta) - 2k, which decreases from 1 to 1 - 2m for theta from 0 to pi.

    Examples:
        >>> widened_cosine(torch.tensor([1.0, 0.0, -1.0]), margin=2)
        tensor([ 1., -1., -3.])
    """
    cosine = cosine.clamp(-1, 1)
    piece = (cosine.detach().acos() * margin / math.pi).floor().clamp(max=margin - 1)
    sign = 1 - 2 * (piece % 2)
    return sign * _cosine_of_multiple(cosine, margin) - 2 * piece


def _cosine_of_multiple(cosine: Tensor, multiple: int) -> Tensor:
    """cos(m theta) as Chebyshev's polynomial in cos(theta), whose derivative is finite at 0 and pi, unlike acos's."""
    before, now = torch.ones_like(cosine), cosine
    for _ in range(multiple - 1):
        before, now = now, 2 * cosine * now - before
    return now


def _check(representations: Tensor, weight: Tensor, labels: Tensor, margin: int, plain: float) -> None:
    if representations.ndim != 2 or weight.ndim != 2 or representations.shape[1] != weight.shape[1]:
        raise ValueError(
            "representations must have shape [row, width] and weight [class, width] with the same width, "
            f"got {list(representations.shape)} and {list(weight.shape)}."
        )
    if labels.shape != representations.shape[:1] or labels.dtype != torch.int64:
        raise ValueError(
            f"labels must be int64 of shape [{len(representations)}], got {labels.dtype} {list(labels.shape)}."
        )
    if isinstance(margin, bool) or not isinstance(margin, int) or margin < 1:
        raise ValueError(f"margin must be a whole number from 1 up, got {margin!r}.")
    if not plain >= 0:
        raise ValueError(f"plain must be a number from 0 up, got {plain!r}.")
