import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor

from supcon.base.errors import RequestError
from supcon.evaluation import class_prototypes, prototype_accuracy, prototype_scores


def draw(rows: int, classes: int, seed: int) -> tuple[Tensor, Tensor]:
    generator = torch.Generator().manual_seed(seed)
    labels = torch.cat([torch.arange(classes), torch.randint(classes, (rows,), generator=generator)])
    return torch.randn(len(labels), 5, generator=generator, dtype=torch.float64), labels


@settings(max_examples=40, deadline=None)
@given(st.integers(1, 40), st.integers(2, 5), st.integers(0, 10_000))
def test_prototypes_and_scores_are_those_of_a_slow_loop(rows: int, classes: int, seed: int) -> None:
    bank, labels = draw(rows, classes, seed)
    queries, _ = draw(5, 2, seed + 1)
    found = prototype_scores(queries, class_prototypes(bank, labels, classes))
    for label in range(classes):
        members = [row / row.norm() for row, own in zip(bank, labels, strict=True) if own == label]
        mean = torch.stack(members).mean(0)
        for query, score in zip(queries, found[:, label], strict=True):
            assert float(query @ mean / (query.norm() * mean.norm())) == pytest.approx(score.item())


def test_a_class_without_images_is_never_predicted_and_unlabelled_rows_do_not_count() -> None:
    bank = torch.tensor([[1.0, 0.0], [0.0, -1.0], [0.0, -1.0]])
    prototypes = class_prototypes(bank, torch.tensor([0, 2, -1]), 4)
    assert prototypes.tolist() == [[1, 0], [0, 0], [0, -1], [0, 0]]
    assert prototype_scores(torch.tensor([[-1.0, 1.0]]), prototypes)[0, [1, 3]].tolist() == [-torch.inf] * 2
    assert prototype_accuracy(bank[:2], torch.tensor([0, 2]), bank, torch.tensor([0, 2, -1])) == 1.0


def test_a_class_only_among_the_queries_is_always_wrong() -> None:
    rows = torch.eye(2)
    assert prototype_accuracy(rows, torch.tensor([0, 7]), rows, torch.tensor([0, 1])) == 0.5


def test_labels_beyond_the_classes_are_refused() -> None:
    with pytest.raises(RequestError, match=r"^Labels must be below the number of classes, 2, got 5\.$"):
        class_prototypes(torch.eye(2), torch.tensor([0, 5]), 2)
