import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import brier_score_loss

from supcon.evaluation import brier_score


@settings(max_examples=50, deadline=None)
@given(st.integers(1, 40), st.integers(3, 6), st.integers(0, 10_000))
def test_agrees_with_scikit_learn(rows: int, classes: int, seed: int) -> None:
    generator = torch.Generator().manual_seed(seed)
    probabilities = (3 * torch.randn(rows, classes, generator=generator)).double().softmax(1)
    labels = torch.randint(classes, (rows,), generator=generator)
    expected = brier_score_loss(labels.numpy(), probabilities.numpy(), labels=np.arange(classes), scale_by_half=False)
    assert brier_score(probabilities, labels) == pytest.approx(expected)


def test_sure_and_right_is_zero_sure_and_wrong_is_two() -> None:
    sure = torch.tensor([[1.0, 0.0, 0.0]])
    assert brier_score(sure, torch.tensor([0])) == 0.0
    assert brier_score(sure, torch.tensor([2])) == 2.0
