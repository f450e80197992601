"""Evaluates a trained model: its metrics, and the arrays from which the report shows single images."""

import hashlib
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from supcon.base.errors import RequestError
from supcon.base.progress import bar
from supcon.data import ImageData, Split
from supcon.evaluation import (
    classification_measures,
    encode_split,
    fit_temperature,
    interval_measures,
    logistic_regression_accuracy,
    nearest_neighbour_accuracy,
    representation_measures,
    scaled_measures,
    usual_neighbours,
)
from supcon.jobs.multi_label_outputs import multi_label_measures, neighbour_precision
from supcon.jobs.page_arrays import page_arrays
from supcon.stages import Probe

_BANK = 10_000
"""At most this many training images are the neighbours of the k-NN measurement during training, to keep it fast."""
Neighbours = tuple[int | None, float]
"""k and temperature of a k-NN classifier; k None: chosen by the number of training images."""
DEFAULT_NEIGHBOURS: Neighbours = (None, 0.1)
"""k and temperature of the k-NN measurement of every run."""


def knn_probe(data: ImageData) -> Probe:
    """A function that measures k-NN accuracy on the validation split, for stage 1 to call during training."""
    bank = data.train.pick(slice(None, None, _stride(data)))

    def probe(encode: Callable[[Tensor], Tensor]) -> Mapping[str, float]:
        device = next(encode.parameters()).device if isinstance(encode, nn.Module) else "cpu"
        queries, rows = (
            encode_split(encode, split, data.image_size, device=device) for split in (data.validation, bank)
        )
        if data.multi_label:
            precision = neighbour_precision(queries, data.validation.labels, rows, bank.labels)
            return {"validation/knn_map": precision}
        return {"validation/knn_top1": nearest_neighbour_accuracy(queries, data.validation.labels, rows, bank.labels)}

    return probe


def probe_images(data: ImageData) -> int:
    """Number of images that `knn_probe` encodes at each call."""
    return len(data.validation) + -(-len(data.train) // _stride(data))


def encode_training_images(
    encoder: nn.Module, split: Split, image_size: int, device: torch.device | str = "cpu"
) -> Tensor:
    """Representations of the centre crop of every image, for a stage 2 that computes them once."""
    encoder.to(device).eval()  # Lightning has left it on the CPU after stage 1
    with bar("representations", len(split), "images") as advance:
        # clone: autograd refuses tensors that were made in inference mode.
        return encode_split(encoder, split, image_size, device=device, advance=advance).clone()


def measures_before_training(encoder: nn.Module, data: ImageData) -> dict[str, float]:
    """Test accuracy of a pretrained encoder before training, by logistic regression and k-NN on its features.

    Both use at most 10,000 training images.
    """
    device = next(encoder.parameters()).device
    encoder.eval()
    bank_split = data.train.pick(slice(None, None, _stride(data)))
    with bar("before training", len(bank_split) + len(data.test), "images") as advance:
        bank, test = (
            encode_split(encoder, split, data.image_size, device=device, advance=advance)
            for split in (bank_split, data.test)
        )
        advance(steps=0, note="logistic regression")
        against = (test, data.test.labels, bank, bank_split.labels)
        return {
            "before/logistic_regression_top1": logistic_regression_accuracy(*against),
            "before/knn_top1": nearest_neighbour_accuracy(*against),
        }


def _stride(data: ImageData) -> int:
    return -(-len(data.train) // _BANK)


def evaluate_model(
    encoder: nn.Module,
    classifier: nn.Module,
    data: ImageData,
    *,
    bins: int = 15,
    neighbours: Neighbours = DEFAULT_NEIGHBOURS,
) -> tuple[dict[str, float], dict[str, NDArray[Any]]]:
    """The metrics on the validation and test splits, and the arrays for the report.

    `neighbours` are k and temperature of a k-NN classifier that is evaluated in addition to the default one.
    """
    if len(data.test) == 0:
        raise RequestError(f"The test split of {data.name} has no images, so it cannot be evaluated; add some.")
    device = next(encoder.parameters()).device
    encoder.eval()
    fingerprint = hashlib.blake2b(data.test.labels.numpy().tobytes(), digest_size=16)

    def encode_test(images: Tensor) -> Tensor:
        fingerprint.update(images.cpu().numpy().tobytes())
        rows: Tensor = encoder(images)
        return rows

    total = sum(len(split) for split in (data.train, data.validation, data.test))
    with bar("evaluation", total, "images") as advance, torch.inference_mode():
        train, validation, test = (
            encode_split(encode, split, data.image_size, device=device, advance=advance)
            for encode, split in ((encoder, data.train), (encoder, data.validation), (encode_test, data.test))
        )
        advance(steps=0, note="nearest neighbours, retrieval, map")
        scores = {
            name: classifier(rows.to(device)).cpu() for name, rows in (("validation", validation), ("test", test))
        }
        representations = {"train": train, "test": test}
        measures = (
            multi_label_measures(scores, representations, data, *neighbours)
            if data.multi_label
            else _measures(scores, representations, data, bins, neighbours)
        )
        probabilities = scores["test"].sigmoid() if data.multi_label else scores["test"].softmax(1)
        arrays = page_arrays(representations, probabilities, data)
        advance(steps=0, note="")
    return measures, arrays | {"fingerprint": np.array(fingerprint.hexdigest())}


def _measures(
    scores: Mapping[str, Tensor],
    representations: Mapping[str, Tensor],
    data: ImageData,
    bins: int,
    neighbours: Neighbours,
) -> dict[str, float]:
    """All metrics of the standard evaluation of a run, by flat names."""
    labels = data.test.labels
    measures = dict(classification_measures(scores["test"], labels, bins=bins))
    measures |= interval_measures(scores["test"], labels)
    bank, bank_labels = representations["train"], data.train.labels
    measures |= representation_measures(representations["test"], labels, bank, bank_labels)
    if neighbours != DEFAULT_NEIGHBOURS:
        k, tau = neighbours
        accuracy = nearest_neighbour_accuracy(representations["test"], labels, bank, bank_labels, k=k, temperature=tau)
        measures[f"test/knn{k or usual_neighbours(len(bank))}_t{tau:g}_top1"] = accuracy
    if len(data.validation):
        measures |= classification_measures(scores["validation"], data.validation.labels, "validation", bins=bins)
        temperature = fit_temperature(scores["validation"], data.validation.labels)
        measures["validation/temperature"] = temperature
        if not data.validation_is_test:
            measures |= scaled_measures(scores["test"], labels, temperature, bins=bins)
    return measures
