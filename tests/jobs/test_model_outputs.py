"""The evaluation of a trained model on the digits."""

from pathlib import Path
from typing import ClassVar

import pytest
import torch
from torch import nn

import supcon
from supcon.data import ImageData
from supcon.jobs.model_outputs import encode_training_images, evaluate_model, knn_probe, probe_images
from supcon.jobs.run_data import load_run_data
from supcon.runs import Run


@pytest.fixture(scope="module")
def digits(tiny_runs: dict[str, Path]) -> ImageData:
    return load_run_data(Run(tiny_runs["supcon"]))


def test_a_finished_run_is_measured_again_to_the_same_values(tiny_runs: dict[str, Path], digits: ImageData) -> None:
    model = supcon.load(tiny_runs["supcon"])
    measures, arrays = evaluate_model(model.encoder, model.classifier, digits, neighbours=(5, 0.2))
    stored = Run(tiny_runs["supcon"]).measures
    shared = {name: value for name, value in measures.items() if name in stored}
    assert len(shared) > 20
    assert shared == pytest.approx({name: stored[name] for name in shared}, rel=1e-4)
    assert 0 < measures["test/knn5_t0.2_top1"] <= 1
    assert arrays["probabilities"].sum(1) == pytest.approx(1)


def test_the_probe_encodes_validation_images_and_a_bank(digits: ImageData) -> None:
    encoded = []

    def encode(images: torch.Tensor) -> torch.Tensor:
        encoded.append(len(images))
        return images.float().flatten(1)

    measured = knn_probe(digits)(encode)
    assert measured["validation/knn_top1"] > 0.9
    assert sum(encoded) == probe_images(digits) == len(digits.train) + len(digits.validation)


def test_training_images_are_encoded_on_the_device_that_is_asked_for(digits: ImageData) -> None:
    class Encoder(nn.Flatten):
        moves: ClassVar[list[object]] = []

        def to(self, device: object) -> "Encoder":  # type: ignore[override]
            self.moves.append(device)
            return self

        def forward(self, images: torch.Tensor) -> torch.Tensor:
            return super().forward(images).float()

    encoder = Encoder()
    rows = encode_training_images(encoder, digits.test, digits.image_size, device="cpu")
    assert (len(rows), encoder.moves) == (len(digits.test), ["cpu"])
