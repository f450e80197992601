import numpy as np
import pytest
import torch
from torch import Tensor

from supcon.evaluation import (
    adaptive_calibration_error,
    brier_score,
    classification_measures,
    expected_calibration_error,
    interval_measures,
    mean_per_class_accuracy,
    nearest_neighbour_accuracy,
    negative_log_likelihood,
    representation_measures,
    scaled_measures,
    top_k_accuracy,
)


def scores(images: int = 50, classes: int = 8) -> tuple[Tensor, Tensor]:
    generator = torch.Generator().manual_seed(0)
    return torch.randn(images, classes, generator=generator), torch.randint(classes, (images,), generator=generator)


def test_every_measure_has_its_contracted_name_and_its_own_value() -> None:
    logits, labels = scores()
    # Overconfident on some images and underconfident on others: otherwise both calibration errors are the same.
    logits[:30] = logits[:30] / 4 + 2 * torch.eye(8)[labels[:30]]
    found = dict(classification_measures(logits, labels, bins=7))
    probabilities = logits.double().softmax(1)
    assert found == {
        "test/top1": top_k_accuracy(logits, labels, 1),
        "test/top5": top_k_accuracy(logits, labels, 5),
        "test/mean_per_class": mean_per_class_accuracy(logits, labels),
        "test/nll": negative_log_likelihood(logits, labels),
        "test/brier": brier_score(probabilities, labels),
        "test/ece": expected_calibration_error(probabilities, labels, bins=7),
        "test/adaptive_ece": adaptive_calibration_error(probabilities, labels, bins=7),
    }
    assert len(set(found.values())) == 7
    assert all(type(value) is float for value in found.values())


def test_the_split_is_in_the_name() -> None:
    names = [name for name, _ in classification_measures(torch.eye(3), torch.arange(3), "validation")]
    assert all(name.startswith("validation/") for name in names)


def test_scaling_is_the_temperature_on_the_scores() -> None:
    logits, labels = scores()
    raw, scaled = dict(classification_measures(logits / 3, labels)), dict(scaled_measures(logits, labels, 3.0))
    assert scaled == {
        name.replace("/", "/scaled_"): raw[name] for name in raw if name.endswith(("nll", "brier", "ece"))
    }
    assert len(scaled) == 4


def test_intervals_hold_their_figure() -> None:
    logits, labels = scores(200)
    figures, ends = dict(classification_measures(logits, labels)), dict(interval_measures(logits, labels))
    assert len(ends) == 6
    for name in ("top1", "nll", "brier"):
        assert ends[f"test/{name}_low"] < figures[f"test/{name}"] < ends[f"test/{name}_high"]


def test_the_representation_is_measured_against_the_bank() -> None:
    bank, bank_labels = scores(40)
    rows, labels = bank[:16] + 0.1, bank_labels[:16]
    found = dict(representation_measures(rows, labels, bank, bank_labels))
    assert found["test/knn_top1"] == nearest_neighbour_accuracy(rows, labels, bank, bank_labels)
    assert [name.removeprefix("test/") for name in found] == [
        *("knn_top1", "prototype_top1", "recall_at_1", "recall_at_5", "recall_at_10"),
        *("map_at_r", "alignment", "uniformity", "class_separation"),
    ]
    assert all(np.isfinite(value) for value in found.values())


@pytest.mark.parametrize(("labels", "measured"), [([0], 2), ([0, 1], 4), ([1, 1], 8)])
def test_what_a_small_split_cannot_tell_is_left_out(labels: list[int], measured: int) -> None:
    bank, bank_labels = scores(40)
    found = dict(representation_measures(bank[: len(labels)], torch.tensor(labels), bank, bank_labels))
    assert len(found) == measured
    assert {"test/knn_top1", "test/prototype_top1"} <= set(found)
