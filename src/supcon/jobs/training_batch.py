"""A multiviewed batch of a run's training images, as stage 1 sees it, for the page to show."""

from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torchvision.transforms.v2.functional import resize

from supcon.data import ImageData, Split
from supcon.jobs.page_arrays import thumbnails
from supcon.recipes import Recipe
from supcon.stages import METHODS, WorkerTransform, view_generator
from supcon.views import ViewMaker

_IMAGES = 256
_PIXELS = 2**22
"""Largest number of pixels in a batch, so that encoding it takes seconds."""
_SHOWN = 6
_VIEWS_SHOWN = 6
_SIDE = 64


@dataclass(frozen=True, kw_only=True)
class TrainingBatch:
    """Training images drawn by the run's seed, with views by its augmentation."""

    index: Tensor
    split: Split
    labels: Tensor
    views: Tensor
    """uint8 [image, view, channel, height, width]."""


def training_batch(recipe: Recipe, data: ImageData, view_maker: ViewMaker, device: torch.device) -> TrainingBatch:
    """A batch of the size of the run's, but of at most 256 images."""
    split = data.pretraining if METHODS[recipe.method].contrastive else data.train
    images = min(recipe.stage1.batch_size, _IMAGES, max(32, _PIXELS // data.image_size**2), len(split))
    index = torch.randperm(len(split), generator=view_generator(recipe.seed, "page", 0))[:images]
    views = _views(split, index, view_maker, recipe.seed, device)
    return TrainingBatch(index=index, split=split, labels=split.labels[index], views=views)


def _views(
    split: Split, index: Tensor, view_maker: ViewMaker, seed: int, device: torch.device, draw: int = 0
) -> Tensor:
    generator = view_generator(seed, "page/views", draw)
    if view_maker.in_loader is None:
        return view_maker(split.images[index].to(device), generator)
    transform = WorkerTransform(view_maker.in_loader, seed, "page")
    whole = split.whole(index)
    views = torch.stack([transform(image, draw, place) for place, image in enumerate(whole)])
    return view_maker(views.to(device), generator)


def view_arrays(
    recipe: Recipe, data: ImageData, view_maker: ViewMaker, device: torch.device
) -> dict[str, NDArray[np.uint8]]:
    """Some training images, and several views of each."""
    batch = training_batch(recipe, data, view_maker, device)
    index = _of_different_classes(batch)
    draws = range(-(-_VIEWS_SHOWN // view_maker.count))
    views = [_views(batch.split, index, view_maker, recipe.seed, device, draw) for draw in draws]
    return {
        "images": thumbnails(batch.split, index.numpy(), data.image_size),
        "views": pictures(torch.cat(views, 1)[:, :_VIEWS_SHOWN]),
    }


def _of_different_classes(batch: TrainingBatch) -> Tensor:
    """Images of the batch, of as many classes as there are."""
    if batch.labels.ndim == 2:
        return batch.index[:_SHOWN]
    labels = batch.labels.tolist()
    earlier = [labels[:place].count(label) for place, label in enumerate(labels)]
    order = sorted(range(len(labels)), key=lambda place: (earlier[place], place))
    return batch.index[order[:_SHOWN]]


def pictures(views: Tensor) -> NDArray[np.uint8]:
    """Small pictures [..., height, width, channel] of views [..., channel, height, width]."""
    rows = views.reshape(-1, *views.shape[-3:]).cpu()
    if max(rows.shape[-2:]) > _SIDE:
        rows = resize(rows, [_SIDE, _SIDE], antialias=True)
    return rows.view(*views.shape[:-3], *rows.shape[1:]).movedim(-3, -1).numpy()
