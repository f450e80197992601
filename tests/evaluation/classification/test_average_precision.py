import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import precision_recall_curve
from torchmetrics.classification import MultilabelAveragePrecision

from supcon.base.errors import RequestError
from supcon.evaluation import (
    average_precisions,
    eleven_point_average_precision,
    mean_average_precision,
    mean_average_precision_11_points,
)


@settings(max_examples=80, deadline=None)
@given(st.integers(1, 60), st.integers(0, 10_000), st.booleans())
def test_agrees_with_scikit_learns_curve(images: int, seed: int, ties: bool) -> None:
    generator = torch.Generator().manual_seed(seed)
    scores = torch.rand(images, generator=generator, dtype=torch.float64)
    scores = (scores * 5).floor() if ties else scores
    relevant = torch.randint(2, (images,), generator=generator)
    relevant[0] = 1
    precision, recall, _ = precision_recall_curve(relevant.numpy(), scores.numpy())
    points = [precision[:-1][recall[:-1] >= t / 10 - 1e-12].max() for t in range(11)]
    assert eleven_point_average_precision(scores, relevant) == pytest.approx(sum(points) / 11)


def test_by_hand() -> None:
    """Right, wrong, right, wrong, wrong, right: precision 1 to a third of recall, 2/3 to two thirds, 1/2 to all."""
    scores, relevant = torch.arange(6, 0, -1).double(), torch.tensor([1, 0, 1, 0, 0, 1])
    assert eleven_point_average_precision(scores, relevant) == pytest.approx((4 * 1 + 3 * 2 / 3 + 4 / 2) / 11)


def test_difficult_images_do_not_count() -> None:
    scores, relevant = torch.tensor([0.9, 0.8, 0.7]), torch.tensor([1, -1, 1])
    assert eleven_point_average_precision(scores, relevant) == 1.0


def test_the_mean_is_over_classes_that_occur() -> None:
    scores = torch.tensor([[0.9, 0.1, 0.3], [0.2, 0.8, 0.4]])
    relevant = torch.tensor([[1, 1, 0], [0, 0, -1]])
    assert mean_average_precision_11_points(scores, relevant) == pytest.approx((1.0 + 0.5) / 2)


def test_a_class_nobody_shows_is_refused() -> None:
    with pytest.raises(
        RequestError, match=r"^The average precision needs at least one image of the class, but there is none"
    ):
        eleven_point_average_precision(torch.tensor([0.5]), torch.tensor([0]))
    with pytest.raises(
        RequestError,
        match=r"^The mean average precision needs at least one image with a class, "
        r"but there is none",
    ):
        mean_average_precision_11_points(torch.ones(2, 2), torch.zeros(2, 2, dtype=torch.int64))


def test_over_all_images_it_is_torchmetrics() -> None:
    generator = torch.Generator().manual_seed(0)
    scores = torch.rand(50, 4, generator=generator)
    relevant = (torch.rand(50, 4, generator=generator) < 0.3).long()
    expected = MultilabelAveragePrecision(num_labels=4, average=None)(scores, relevant)
    assert average_precisions(scores, relevant) == pytest.approx(expected.tolist(), abs=1e-6)
    assert mean_average_precision(scores, relevant) == pytest.approx(expected.mean().item(), abs=1e-6)


def test_what_does_not_count_and_classes_that_nobody_shows_are_left_out() -> None:
    scores, relevant = torch.tensor([[0.9, 0.1], [0.8, 0.2], [0.7, 0.3]]), torch.tensor([[1, 0], [-1, 0], [0, 0]])
    first, second = average_precisions(scores, relevant)
    assert first == 1
    assert second != second
    assert mean_average_precision(scores, relevant) == 1
