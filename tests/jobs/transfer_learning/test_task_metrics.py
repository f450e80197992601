import numpy as np
import pytest
import torch

from supcon.jobs.transfer_learning.task_metrics import classification_loss, score


def test_losses_leave_out_what_does_not_count() -> None:
    logits = torch.tensor([[2.0, -1.0]])
    both = classification_loss(logits, torch.tensor([[1, 0]]))
    one = classification_loss(logits, torch.tensor([[1, -1]]))
    assert both.item() == pytest.approx(np.log1p(np.exp(-2)) + np.log1p(np.exp(-1)))
    assert one.item() == pytest.approx(np.log1p(np.exp(-2)))


def test_scores_that_are_no_numbers_score_nothing() -> None:
    assert score(torch.tensor([[float("nan"), 1.0]]), torch.tensor([1]), "top1") == 0.0
    uneven = torch.tensor([[1.0, 0.0], [1.0, 0.0], [1.0, 0.0]])
    assert score(uneven, torch.tensor([0, 0, 1]), "mean_per_class") == pytest.approx(0.5)
    assert score(uneven, torch.tensor([0, 0, 1]), "top1") == pytest.approx(2 / 3)
