"""The arrays of `test_outputs.npz`: what the page needs to show single images without the data."""

from typing import Any

import numpy as np
import torch
import torch.nn.functional as F
from numpy.typing import NDArray
from torch import Tensor
from torchvision.transforms.v2.functional import resize

from supcon.data import ImageData, Split
from supcon.evaluation import centre_crop, embedding_map, map_method, nearest_rows
from supcon.jobs.label_suspects import label_suspects
from supcon.jobs.multi_label_outputs import confident_errors

_MAPPED = 1000
_SHOWN = 2000
"""Test images with a thumbnail; all of a smaller test set."""
_MISTAKES = 500
"""In a larger test set, number of the most confident mistakes with a thumbnail."""
_NEIGHBOURS = 5
_TRAINING_SHOWN = 3000
_SIDE = 64
_SIDE_OF_MANY = 48
_MANY = 1000


def page_arrays(representations: dict[str, Tensor], probabilities: Tensor, data: ImageData) -> dict[str, NDArray[Any]]:
    """All predictions, a 2-D map of some test images, thumbnails, and the training images nearest to those shown."""
    labels, test = data.test.labels.numpy(), representations["test"]
    map_index = np.arange(0, len(labels), -(-len(labels) // _MAPPED))
    shown = _shown(probabilities.numpy(), labels, map_index, data.multi_label)
    arrays = {
        "labels": labels,
        "names": np.array(data.test_names),
        "probabilities": probabilities.numpy(),
        "coordinates": embedding_map(test[map_index].numpy()),
        "map_index": map_index,
        "map_method": np.array(map_method(len(map_index), test.shape[1])),
        "thumbnails": thumbnails(data.test, shown, data.image_size),
        "thumbnail_index": shown,
    }
    if data.multi_label:
        return arrays
    return arrays | _training_arrays(test[torch.from_numpy(shown)], representations["train"], data)


def thumbnails(split: Split, index: NDArray[np.int64], image_size: int) -> NDArray[np.uint8]:
    """Small pictures [image, height, width, channel] of what the encoder gets."""
    side = _SIDE if len(index) <= _MANY else _SIDE_OF_MANY
    parts = [_small(split.images[part], image_size, side) for part in torch.from_numpy(index).split(256)]
    shape = (0, split.images.shape[1], min(image_size, side), min(image_size, side))
    images = torch.cat(parts) if parts else torch.empty(shape, dtype=torch.uint8)
    return images.permute(0, 2, 3, 1).numpy()


def _small(images: Tensor, image_size: int, side: int) -> Tensor:
    images = centre_crop(images, image_size)
    return resize(images, [side, side], antialias=True) if image_size > side else images


def _shown(
    probabilities: NDArray[np.float32], labels: NDArray[np.int64], map_index: NDArray[np.int64], multi_label: bool
) -> NDArray[np.int64]:
    """Test images with a thumbnail: all, or those of the map and the most confident mistakes."""
    if len(labels) <= _SHOWN:
        return np.arange(len(labels))
    if multi_label:
        return np.union1d(map_index, confident_errors(probabilities, labels, _MISTAKES))
    wrong = np.flatnonzero(probabilities.argmax(1) != labels)
    surest = wrong[np.argsort(-probabilities[wrong].max(1), kind="stable")][:_MISTAKES]
    return np.union1d(map_index, surest)


def _training_arrays(shown: Tensor, train: Tensor, data: ImageData) -> dict[str, NDArray[Any]]:
    """The training images nearest to every shown test image, and those whose neighbours contradict their label."""
    bank = F.normalize(train, dim=1)
    nearest, similarity = nearest_rows(F.normalize(shown, dim=1), bank, _NEIGHBOURS)
    suspects = label_suspects(bank, data.train.labels, len(data.class_names))
    # Nearest ones first: where there are more images than thumbnails, those have them.
    used = np.concatenate([suspects.images, suspects.nearest.ravel(), nearest.numpy().T.ravel()])
    _, first = np.unique(used, return_index=True)
    rows, names = used[np.sort(first)], data.train_names
    new_index = np.empty(len(bank), dtype=np.int64)
    new_index[rows] = np.arange(len(rows))
    return {
        "train_labels": data.train.labels.numpy()[rows],
        "train_names": np.array([names[image] for image in rows] if names else []),
        "train_thumbnails": thumbnails(data.train, rows[:_TRAINING_SHOWN], data.image_size),
        "nearest": new_index[nearest.numpy()],
        "similarity": similarity.numpy().astype(np.float32),
        "suspects": new_index[suspects.images],
        "suspect_nearest": new_index[suspects.nearest],
        "suspect_class": suspects.voted,
        "suspect_share": suspects.share.astype(np.float32),
        "suspect_own_share": suspects.own_share.astype(np.float32),
    }
