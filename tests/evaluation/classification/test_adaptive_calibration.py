import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from supcon.base.errors import RequestError
from supcon.evaluation import adaptive_calibration_error, adaptive_reliability_bins, expected_calibration_error


def draw(rows: int, classes: int, seed: int) -> tuple[torch.Tensor, torch.Tensor]:
    generator = torch.Generator().manual_seed(seed)
    probabilities = (4 * torch.randn(rows, classes, generator=generator)).double().softmax(1)
    return probabilities, torch.randint(classes, (rows,), generator=generator)


@settings(max_examples=60, deadline=None)
@given(st.integers(1, 60), st.integers(2, 5), st.integers(1, 20), st.integers(0, 10_000))
def test_bins_are_equal_slices_of_the_sorted_images(rows: int, classes: int, bins: int, seed: int) -> None:
    probabilities, labels = draw(rows, classes, seed)
    ranked = sorted(
        (max(row), row.index(max(row)) == label)
        for row, label in zip(probabilities.tolist(), labels.tolist(), strict=True)
    )
    slices = [ranked[rows * b // bins : rows * (b + 1) // bins] for b in range(bins)]
    expected = sum(
        abs(sum(confidence for confidence, _ in part) - sum(right for _, right in part)) / rows for part in slices
    )
    found = adaptive_reliability_bins(probabilities, labels, bins)
    assert sorted(found.counts.tolist()) == sorted(len(part) for part in slices)
    assert found.counts.sum() == rows
    assert adaptive_calibration_error(probabilities, labels, bins) == pytest.approx(expected, abs=1e-12)


def test_one_bin_is_the_same_as_one_of_equal_width() -> None:
    probabilities, labels = draw(50, 4, 0)
    assert adaptive_calibration_error(probabilities, labels, 1) == pytest.approx(
        expected_calibration_error(probabilities, labels, 1)
    )


def test_equal_confidences_stay_together_in_any_order() -> None:
    probabilities = torch.tensor([[0.8, 0.2]]).repeat(10, 1)
    labels = torch.tensor([0] * 8 + [1] * 2)
    assert adaptive_calibration_error(probabilities, labels, 5) == pytest.approx(0, abs=1e-6)
    assert adaptive_reliability_bins(probabilities, labels, 5).counts.tolist() == [10, 0, 0, 0, 0]


def test_probabilities_of_exactly_zero_and_one() -> None:
    probabilities = torch.tensor([[1.0, 0.0], [0.0, 1.0], [0.5, 0.5]])
    assert adaptive_calibration_error(probabilities, torch.tensor([0, 0, 0]), 3) == pytest.approx(0.5)


@pytest.mark.parametrize("bins", [0, -1])
def test_no_bins_are_refused(bins: int) -> None:
    with pytest.raises(RequestError, match=rf"^bins must be at least 1, got {bins}\.$"):
        adaptive_reliability_bins(torch.tensor([[0.9, 0.1]]), torch.tensor([0]), bins)


def test_bins_for_which_no_memory_is_enough_are_refused() -> None:
    with pytest.raises(RequestError, match=r"^bins must be at most 1,000,000, got 1,000,000,000,000\.$"):
        adaptive_reliability_bins(torch.tensor([[0.9, 0.1]]), torch.tensor([0]), 10**12)
