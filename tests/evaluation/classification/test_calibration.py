from collections.abc import Callable

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torchmetrics.functional.classification import multiclass_calibration_error

from supcon.base.errors import RequestError
from supcon.evaluation import adaptive_calibration_error, expected_calibration_error, reliability_bins

shapes = {"rows": st.integers(1, 60), "classes": st.integers(2, 6), "seed": st.integers(0, 10_000)}


def draw(rows: int, classes: int, seed: int) -> tuple[torch.Tensor, torch.Tensor]:
    generator = torch.Generator().manual_seed(seed)
    probabilities = (4 * torch.randn(rows, classes, generator=generator)).double().softmax(1)
    return probabilities, torch.randint(classes, (rows,), generator=generator)


def bin_of(confidence: float, bins: int) -> int:
    """Closed above: the first bin whose upper edge is not below the confidence."""
    return next(b for b in range(bins) if confidence <= (b + 1) / bins or b == bins - 1)


@settings(deadline=None)
@given(**shapes, bins=st.integers(1, 20))
def test_bins_are_those_of_a_slow_loop(rows: int, classes: int, seed: int, bins: int) -> None:
    probabilities, labels = draw(rows, classes, seed)
    members: list[list[tuple[float, bool]]] = [[] for _ in range(bins)]
    for row, label in zip(probabilities.tolist(), labels.tolist(), strict=True):
        confidence = max(row)
        members[bin_of(confidence, bins)].append((confidence, row.index(confidence) == label))
    found = reliability_bins(probabilities, labels, bins)
    assert found.counts.tolist() == [len(inside) for inside in members]
    for index, inside in enumerate(members):
        mean = [sum(values) / len(inside) if inside else 0.0 for values in zip(*inside, strict=True)] or [0.0, 0.0]
        assert [found.confidence[index].item(), found.accuracy[index].item()] == pytest.approx(mean)


@settings(max_examples=50, deadline=None)
@given(**shapes, bins=st.integers(1, 20))
def test_error_agrees_with_torchmetrics(rows: int, classes: int, seed: int, bins: int) -> None:
    probabilities, labels = draw(rows, classes, seed)
    expected = multiclass_calibration_error(probabilities, labels, classes, n_bins=bins, norm="l1").item()
    assert expected_calibration_error(probabilities, labels, bins) == pytest.approx(expected, abs=1e-6)


@pytest.mark.parametrize(("confidence", "expected"), [(0.5, 4), (0.5 + 1e-12, 5), (0.7, 6), (1.0, 9), (0.3, 2)])
def test_every_bin_is_closed_above(confidence: float, expected: int) -> None:
    rest = 1 - confidence
    probabilities = torch.tensor([[confidence, *[rest / 4] * 4]], dtype=torch.float64)
    assert reliability_bins(probabilities, torch.tensor([0]), bins=10).counts.argmax() == expected


def test_a_perfectly_calibrated_classifier_has_no_error() -> None:
    probabilities = torch.tensor([[0.75, 0.25]]).repeat(4, 1)
    assert expected_calibration_error(probabilities, torch.tensor([0, 0, 0, 1])) == pytest.approx(0)


def test_certain_and_always_wrong_is_the_worst_there_is() -> None:
    assert expected_calibration_error(torch.tensor([[1.0, 0.0]] * 3), torch.tensor([1, 1, 1])) == 1.0


def test_fifteen_bins_unless_asked() -> None:
    probabilities, labels = draw(50, 4, 0)
    assert len(reliability_bins(probabilities, labels).counts) == 15
    assert expected_calibration_error(probabilities, labels) == expected_calibration_error(probabilities, labels, 15)


def test_half_precision_probabilities_are_binned_in_double() -> None:
    found = reliability_bins(torch.tensor([[0.9, 0.1]], dtype=torch.float16), torch.tensor([0]))
    assert found.confidence.dtype == np.float64


def test_arrays_and_tensors_of_any_kind_give_the_same() -> None:
    probabilities, labels = draw(40, 4, 1)
    expected = reliability_bins(probabilities, labels)
    for given_as in (probabilities.numpy(), probabilities.clone().requires_grad_()):
        for ours, theirs in zip(reliability_bins(given_as, labels.numpy()), expected, strict=True):
            np.testing.assert_array_equal(ours, theirs)
    half = probabilities.bfloat16()
    assert expected_calibration_error(half, labels) == expected_calibration_error(half.double(), labels)


def test_overconfidence_is_mean_confidence_minus_accuracy() -> None:
    probabilities, labels = draw(40, 4, 1)
    accuracy = (probabilities.argmax(1) == labels).double().mean().item()
    expected = probabilities.amax(1).mean().item() - accuracy
    assert reliability_bins(probabilities, labels).overconfidence == pytest.approx(expected)


def test_no_images_have_no_error() -> None:
    bins = reliability_bins(np.zeros((0, 3)), np.zeros(0, dtype=np.int64), 4)
    assert (bins.counts.tolist(), bins.error, bins.overconfidence) == ([0] * 4, 0.0, 0.0)


@pytest.mark.parametrize("error", [expected_calibration_error, adaptive_calibration_error])
@pytest.mark.parametrize("rows", [[[0.5, 0.5], [3.0, -1.0]], [[0.5, 0.5], [0.9, 0.9]]])
def test_logits_are_refused(error: Callable[..., float], rows: list[list[float]]) -> None:
    with pytest.raises(
        RequestError, match=r"^probabilities must be .* rows that sum to 1, got .*logits\.softmax\(1\)\.$"
    ):
        error(torch.tensor(rows), torch.tensor([0, 1]))


@pytest.mark.parametrize("bins", [0, -3])
def test_no_bins_are_refused(bins: int) -> None:
    with pytest.raises(RequestError, match=rf"^bins must be at least 1, got {bins}\.$"):
        reliability_bins(torch.tensor([[0.9, 0.1]]), torch.tensor([0]), bins)


def test_bins_for_which_no_memory_is_enough_are_refused() -> None:
    with pytest.raises(RequestError, match=r"^bins must be at most 1,000,000, got 1,000,000,000,000\.$"):
        reliability_bins(torch.tensor([[0.9, 0.1]]), torch.tensor([0]), 10**12)
