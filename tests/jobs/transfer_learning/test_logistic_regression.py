import numpy as np
import pytest
import torch
from sklearn.datasets import load_digits
from sklearn.linear_model import LogisticRegression

from supcon.jobs.transfer_learning.logistic_regression import fit_linear
from supcon.jobs.transfer_learning.task_metrics import score


@pytest.mark.parametrize("penalty", [0.1, 10.0])
def test_it_is_scikit_learns_logistic_regression(penalty: float) -> None:
    rows, labels = load_digits(return_X_y=True)
    rows, labels = rows[:300] / 16, labels[:300]
    expected = LogisticRegression(C=1 / penalty, max_iter=3000, tol=1e-8).fit(rows, labels)
    found = fit_linear(torch.from_numpy(rows), torch.from_numpy(labels), 10, penalty)
    # Only differences of weights and of biases show in probabilities; the penalty centres the weights.
    np.testing.assert_allclose(found.weight.numpy(), expected.coef_, atol=2e-3)
    probabilities = found(torch.from_numpy(rows)).softmax(1).numpy()
    np.testing.assert_allclose(probabilities, expected.predict_proba(rows), atol=1e-3)


def test_where_it_starts_does_not_matter() -> None:
    rows, labels = load_digits(return_X_y=True)
    features, targets = torch.from_numpy(rows[:200] / 16), torch.from_numpy(labels[:200])
    strong = fit_linear(features, targets, 10, 100.0)
    first, second = fit_linear(features, targets, 10, 1.0), fit_linear(features, targets, 10, 1.0, strong)
    torch.testing.assert_close(first.weight, second.weight, atol=1e-3, rtol=0)


def test_several_labels_are_one_binary_problem_each() -> None:
    generator = torch.Generator().manual_seed(0)
    rows = torch.randn(80, 5, generator=generator, dtype=torch.float64)
    targets = (rows[:, :3] + 0.5 * torch.randn(80, 3, generator=generator) > 0).long()
    targets[7, 1] = -1
    found = fit_linear(rows, targets, 3, 0.5)
    for label in range(3):
        counted = targets[:, label] >= 0
        expected = LogisticRegression(C=2.0, tol=1e-8).fit(rows[counted].numpy(), targets[counted, label].numpy())
        np.testing.assert_allclose(found.weight[label].numpy(), expected.coef_[0], atol=1e-3)
    assert score(found(rows), targets, "map_11_point") > 0.9
