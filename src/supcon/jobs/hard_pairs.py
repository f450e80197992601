"""The pairs with the largest share in the gradient, at the start and the end of stage 1 (supplementary, section 3)."""

import copy
from pathlib import Path
from typing import Any

import numpy as np
import torch
import torch.nn.functional as F
from lightning import Callback, LightningModule, Trainer
from numpy.typing import NDArray
from torch import Tensor

from supcon.base.stored_arrays import write_arrays
from supcon.data import ImageData
from supcon.jobs.training_batch import TrainingBatch, pictures, training_batch, view_arrays
from supcon.losses import PairGradientWeights, pair_gradient_weights
from supcon.recipes import Recipe
from supcon.serving import distinct_pairs
from supcon.stages import METHODS

_SHOWN = 6
_LOOKED_AT = 2000
_PARTS = 5
"""Pairs are divided into fifths, from the hardest to the easiest."""


class RecordPairs(Callback):
    """Writes `views.npz` and `pairs_start.npz` before the first step and `pairs_end.npz` after the last."""

    def __init__(self, recipe: Recipe, data: ImageData, folder: Path) -> None:
        self.recipe, self.data, self.folder = recipe, data, folder

    def on_train_start(self, trainer: Trainer, pl_module: LightningModule) -> None:
        if not trainer.is_global_zero or trainer.current_epoch > 0:
            return
        arrays = view_arrays(self.recipe, self.data, pl_module.views, pl_module.device)  # type: ignore[arg-type]
        write_arrays(self.folder / "views.npz", arrays)
        self._record(trainer, pl_module, "start")

    def on_train_epoch_end(self, trainer: Trainer, pl_module: LightningModule) -> None:
        """Before the last checkpoint is written: a run killed after it would never call this again."""
        if trainer.is_global_zero and trainer.current_epoch == (trainer.max_epochs or 0) - 1:
            self._record(trainer, pl_module, "end")

    def _record(self, trainer: Trainer, module: LightningModule, moment: str) -> None:
        if not has_pair_gradients(self.recipe, self.data):
            return
        batch = training_batch(self.recipe, self.data, module.views, module.device)  # type: ignore[arg-type]
        projections = _project(module, batch.views, alone=trainer.world_size == 1)
        write_arrays(self.folder / f"pairs_{moment}.npz", pair_arrays(projections, batch, self.recipe, self.data))


def has_pair_gradients(recipe: Recipe, data: ImageData) -> bool:
    """Whether the loss is one of Eq. 1 to 3 over all pairs of a batch, for which `pair_gradient_weights` is defined."""
    loss = recipe.loss
    all_pairs = loss.max_positives is None and loss.anchors == "all" and loss.queue_size == 0
    plain = recipe.mix.method == "none" and not data.multi_label
    return METHODS[recipe.method].uses_eq_1_to_3 and all_pairs and plain


@torch.no_grad()
def _project(module: LightningModule, views: Tensor, *, alone: bool) -> Tensor:
    """The projections of a training step, by copies of the networks: a step changes batch statistics."""
    encoder, projection = copy.deepcopy(module.encoder), copy.deepcopy(module.projection)
    if not alone:  # in training mode, layers that share statistics would wait for the other processes
        encoder.eval(), projection.eval()  # type: ignore[union-attr]
    with torch.compiler.set_stance("force_eager"):
        rows: Tensor = projection(encoder(views.flatten(0, 1)))  # type: ignore[operator]
    batch, count = views.shape[:2]
    return rows.float().cpu().view(batch, count, -1)


def pair_arrays(projections: Tensor, batch: TrainingBatch, recipe: Recipe, data: ImageData) -> dict[str, NDArray[Any]]:
    """The hardest pairs as pictures, and the share of every fifth of the pairs."""
    spec = METHODS[recipe.method]
    found = pair_gradient_weights(
        projections,
        batch.labels if spec.labelled else None,
        temperature=recipe.loss.temperature,
        summation="in" if spec.loss == "supcon-in" else "out",
        denominator=recipe.loss.denominator,
    )
    rows = F.normalize(projections.flatten(0, 1), dim=1)
    similarity = rows @ rows.T
    arrays: dict[str, NDArray[Any]] = {}
    for kind, pairs, hardness in _kinds(found, similarity):
        shares = found.weights.abs() * pairs
        first, second = _largest(shares, projections.shape[1])
        views = batch.views.flatten(0, 1)
        arrays |= {
            f"{kind}_pictures": pictures(torch.stack([views[first], views[second]], 1)),
            f"{kind}_labels": _labels(batch, first, second, projections.shape[1]),
            f"{kind}_names": _names(batch, data, first, second, projections.shape[1]),
            f"{kind}_similarity": similarity[first, second].numpy(),
            f"{kind}_times_mean": (shares[first, second] / (shares.sum() / pairs.sum())).numpy(),
            f"{kind}_fifths": fifths(shares[pairs], hardness[pairs]),
        }
    return arrays


def _kinds(found: PairGradientWeights, similarity: Tensor) -> list[tuple[str, Tensor, Tensor]]:
    """Positives are hard where they are unlike the anchor, negatives where they are like it."""
    negative = ~found.is_positive & ~torch.eye(len(similarity), dtype=torch.bool)
    return [("positives", found.is_positive, -similarity), ("negatives", negative, similarity)]


def fifths(shares: Tensor, hardness: Tensor) -> NDArray[Any]:
    """The share of the gradient in each fifth of the pairs, the hardest fifth first.

    >>> fifths(torch.tensor([1.0, 1.0, 2.0, 1.0, 5.0]), torch.tensor([0.1, 0.2, 0.4, 0.3, 0.5])).tolist()
    [0.5, 0.20000000298023224, 0.10000000149011612, 0.10000000149011612, 0.10000000149011612]
    """
    ordered = shares[hardness.argsort(descending=True, stable=True)]
    sums = torch.stack([part.sum() for part in ordered.tensor_split(_PARTS)])
    return (sums / shares.sum().clamp(min=1e-12)).numpy()


def _largest(shares: Tensor, views: int) -> tuple[Tensor, Tensor]:
    """The pairs with the largest shares, without repetition: no pair of images has two pairs of views."""
    order = shares.flatten().argsort(descending=True)[:_LOOKED_AT]
    order = order[shares.flatten()[order] > 0]
    first, second = order // len(shares), order % len(shares)
    images = zip((first // views).tolist(), (second // views).tolist(), strict=True)
    listed = distinct_pairs(images, _SHOWN)
    return first[listed], second[listed]


def _labels(batch: TrainingBatch, first: Tensor, second: Tensor, views: int) -> NDArray[np.int64]:
    return torch.stack([batch.labels[first // views], batch.labels[second // views]], 1).numpy()


def _names(batch: TrainingBatch, data: ImageData, first: Tensor, second: Tensor, views: int) -> NDArray[Any]:
    names = data.train_names
    images = torch.stack([batch.index[first // views], batch.index[second // views]], 1).tolist()
    # Unlabelled images come after the labelled ones, which have names.
    return np.array([[names[image] if image < len(names) else "" for image in pair] for pair in images], dtype=np.str_)
