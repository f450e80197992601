"""The contributions of hard and easy pairs to the gradient, measured on the encoder during training."""

from collections.abc import Callable, Mapping

import torch
from torch import Tensor

from supcon.data import ImageData
from supcon.jobs.model_outputs import knn_probe
from supcon.losses import pair_gradient_weights
from supcon.losses.config import Summation
from supcon.recipes import Recipe
from supcon.stages import METHODS, Networks, Probe
from supcon.views import make_augmentation, make_views

_IMAGES = 512
"""Number of training images of the multiviewed batch for the measurement: always the same images and views."""
_FIFTH = 5


def gradient_probe(recipe: Recipe) -> Callable[[ImageData, Networks], Probe]:
    """A probe that measures the contributions to the gradient in addition to k-NN accuracy."""
    summation: Summation = "in" if METHODS[recipe.method].loss == "supcon-in" else "out"

    def make_probe(data: ImageData, networks: Networks) -> Probe:
        usual = knn_probe(data)
        index = torch.arange(0, len(data.train), max(1, len(data.train) // _IMAGES))[:_IMAGES]
        augmentation = make_augmentation(recipe.views, data.image_size, data.channels)
        generator = torch.Generator().manual_seed(recipe.seed)
        labels = data.train.labels[index]
        views = make_views(data.train.images[index], augmentation, recipe.views.count, generator)

        def probe(encode: Callable[[Tensor], Tensor]) -> Mapping[str, float]:
            projection = networks.projection
            was_training, device = projection.training, next(networks.encoder.parameters()).device
            rows = projection.eval()(encode(views.flatten(0, 1).to(device))).cpu()
            projection.train(was_training)
            projections = rows.view(*views.shape[:2], -1)
            return {**usual(encode), **hard_to_easy(projections, labels, recipe.loss.temperature, summation)}

        return probe

    return make_probe


def hard_to_easy(
    projections: Tensor, labels: Tensor, temperature: float, summation: Summation = "out"
) -> dict[str, float]:
    """Mean contribution of the hardest fifth of each anchor's pairs, divided by that of the easiest fifth.

    Hard positives are those least similar to the anchor, hard negatives those most similar to it.
    """
    found = pair_gradient_weights(projections, labels, temperature=temperature, summation=summation)
    rows = torch.nn.functional.normalize(projections.flatten(0, 1), dim=1)
    similarity, shares = rows @ rows.T, found.weights.abs()
    itself = torch.eye(len(rows), dtype=torch.bool)
    return {
        "gradients/positives_hard_to_easy": _ratio(shares, -similarity, found.is_positive),
        "gradients/negatives_hard_to_easy": _ratio(shares, similarity, ~found.is_positive & ~itself),
    }


def _ratio(shares: Tensor, hardness: Tensor, pairs: Tensor) -> float:
    order = hardness.masked_fill(~pairs, -torch.inf).argsort(1, descending=True)
    place = order.argsort(1)
    count = pairs.sum(1, keepdim=True)
    fifth = (count // _FIFTH).clamp(min=1)
    hard, easy = pairs & (place < fifth), pairs & (place >= count - fifth)
    return float(shares[hard].mean() / shares[easy].mean().clamp(min=1e-12))
