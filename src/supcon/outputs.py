"""What a trained model makes of the images: the measures, and what the page shows of single images."""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torchvision.transforms.v2.functional import resize

from supcon.data.image_data import ImageData
from supcon.evaluation import (
    centre_crop,
    classification_measures,
    embedding_map,
    encode_split,
    nearest_neighbour_accuracy,
)
from supcon.evaluation.embedding_map import map_method
from supcon.progress import bar
from supcon.stages.watch import Probe

_BANK = 10_000
"""Training images that the k-NN measurement during training compares with: enough to see the encoder learn."""
_MAPPED = 1000
_MISTAKES = 60
_THUMBNAIL = 64


def knn_probe(data: ImageData) -> Probe:
    """k-NN accuracy on the validation split, for stage 1 to measure as it goes."""
    bank = data.train.pick(slice(None, None, _stride(data)))

    def probe(encode: Callable[[Tensor], Tensor]) -> Mapping[str, float]:
        device = next(encode.parameters()).device if isinstance(encode, nn.Module) else "cpu"
        queries, rows = (
            encode_split(encode, split, data.image_size, device=device) for split in (data.validation, bank)
        )
        return {"validation/knn_top1": nearest_neighbour_accuracy(queries, data.validation.labels, rows, bank.labels)}

    return probe


def _stride(data: ImageData) -> int:
    return -(-len(data.train) // _BANK)


def evaluate_model(
    encoder: nn.Module, classifier: nn.Module, data: ImageData
) -> tuple[dict[str, float], dict[str, NDArray[Any]]]:
    """The measures on validation and test split, and arrays for the page."""
    device = next(encoder.parameters()).device
    encoder.eval()
    total = sum(data.counts.values())
    with bar("evaluation", total, "images") as advance, torch.inference_mode():
        train, validation, test = (
            encode_split(encoder, split, data.image_size, device=device, advance=advance)
            for split in (data.train, data.validation, data.test)
        )
        advance(steps=0, note="nearest neighbours, map")
        logits = {
            name: classifier(rows.to(device)).cpu() for name, rows in (("validation", validation), ("test", test))
        }
        measures = dict(classification_measures(logits["test"], data.test.labels, "test"))
        measures |= dict(classification_measures(logits["validation"], data.validation.labels, "validation"))
        measures["test/knn_top1"] = nearest_neighbour_accuracy(test, data.test.labels, train, data.train.labels)
        arrays = page_arrays(test.numpy(), logits["test"].softmax(1).numpy(), data)
        advance(steps=0, note="")
    return measures, arrays


def page_arrays(
    representations: NDArray[np.float32], probabilities: NDArray[np.float32], data: ImageData
) -> dict[str, NDArray[Any]]:
    """What `test_outputs.npz` holds: all predictions, a map of some images, small pictures of those and of mistakes."""
    labels = data.test.labels.numpy()
    stride = -(-len(labels) // _MAPPED)
    map_index = np.arange(0, len(labels), stride)
    shown = np.union1d(map_index, _confident_mistakes(probabilities, labels))
    return {
        "labels": labels,
        "probabilities": probabilities,
        "coordinates": embedding_map(representations[map_index]),
        "map_index": map_index,
        "map_method": np.array(map_method(len(map_index), representations.shape[1])),
        "thumbnails": _thumbnails(data, shown),
        "thumbnail_index": shown,
    }


def _confident_mistakes(probabilities: NDArray[np.float32], labels: NDArray[np.int64]) -> NDArray[np.int64]:
    wrong = np.flatnonzero(probabilities.argmax(1) != labels)
    return wrong[np.argsort(-probabilities[wrong].max(1), kind="stable")][:_MISTAKES]


def _thumbnails(data: ImageData, index: NDArray[np.int64]) -> NDArray[np.uint8]:
    images = centre_crop(data.test.images[torch.from_numpy(index)], data.image_size)
    if data.image_size > _THUMBNAIL:
        images = resize(images, [_THUMBNAIL, _THUMBNAIL], antialias=True)
    return images.permute(0, 2, 3, 1).numpy()
