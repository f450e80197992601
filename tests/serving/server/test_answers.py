from pathlib import Path

import numpy as np
import pytest

import supcon
from supcon.serving.server.answers import (
    Embedding,
    Prediction,
    all_unreadable,
    embedding_values,
    prediction_values,
)
from supcon.serving.server.engine import Outputs
from supcon.serving.server.uploaded_image import UnreadableImageError

BAD = UnreadableImageError("not an image")


def outputs() -> Outputs:
    probabilities = np.full(10, 0.05, dtype=np.float32)
    probabilities[[7, 2]] = 0.4, 0.2
    return Outputs(np.array([0.6, 0.8], dtype=np.float32), probabilities)


def test_a_prediction_has_the_best_classes_first(digits: Path) -> None:
    values = prediction_values(supcon.load(digits), "a.png", outputs(), 2)
    assert values["class"] == "7"
    assert values["top"] == [
        {"class": "7", "probability": pytest.approx(0.4)},
        {"class": "2", "probability": pytest.approx(0.2)},
    ]
    assert Prediction.model_validate(values).probability == pytest.approx(0.4)


def test_a_representation_is_a_list_of_numbers() -> None:
    values = embedding_values("a.png", outputs())
    assert Embedding.model_validate(values).representation == pytest.approx([0.6, 0.8])


def test_what_cannot_be_read_is_an_error_entry(digits: Path) -> None:
    entry = {"name": "a.txt", "error": "not an image"}
    assert prediction_values(supcon.load(digits), "a.txt", BAD, 2) == entry
    assert embedding_values("a.txt", BAD) == entry
    assert all_unreadable([BAD, BAD])
    assert not all_unreadable([BAD, outputs()])
