import pytest
import torch

from supcon.evaluation import logistic_regression_accuracy


def test_classes_that_a_plane_parts_are_told_apart_whatever_their_length() -> None:
    generator = torch.Generator().manual_seed(0)
    labels = torch.arange(60) % 3
    rows = 3 * torch.eye(3)[labels] + 0.3 * torch.randn(60, 3, generator=generator)
    lengths = torch.rand(60, 1, generator=generator) * 100 + 0.1
    assert logistic_regression_accuracy(rows[:30] * lengths[:30], labels[:30], rows[30:], labels[30:]) == 1


def test_labels_that_mean_nothing_are_guessed() -> None:
    generator = torch.Generator().manual_seed(0)
    rows, labels = torch.randn(400, 5, generator=generator), torch.randint(2, (400,), generator=generator)
    found = logistic_regression_accuracy(rows[:200], labels[:200], rows[200:], labels[200:])
    assert found == pytest.approx(0.5, abs=0.1)
