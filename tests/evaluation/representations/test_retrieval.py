import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor
from torchmetrics.functional.retrieval import retrieval_hit_rate

from supcon.base.errors import RequestError
from supcon.evaluation import mean_average_precision_at_r, recall_at_k

shapes = {"rows": st.integers(3, 30), "classes": st.integers(1, 5), "seed": st.integers(0, 10_000)}


def draw(rows: int, classes: int, seed: int) -> tuple[Tensor, Tensor]:
    generator = torch.Generator().manual_seed(seed)
    labels = torch.randint(classes, (rows,), generator=generator)
    labels[:2] = 0
    return torch.randn(rows, 4, generator=generator, dtype=torch.float64), labels


def ranked_matches(rows: Tensor, labels: Tensor) -> list[list[bool]]:
    """For every image that has another of its class: whether each other image, nearest first, is of the class."""
    unit = rows / rows.norm(dim=1, keepdim=True)
    found = []
    for query in range(len(rows)):
        similar = (unit @ unit[query]).tolist()
        others = sorted((o for o in range(len(rows)) if o != query), key=similar.__getitem__, reverse=True)
        matches = [bool(labels[o] == labels[query]) for o in others]
        if any(matches):
            found.append(matches)
    return found


@settings(max_examples=40, deadline=None)
@given(**shapes)
def test_recall_is_that_of_a_slow_loop(rows: int, classes: int, seed: int) -> None:
    representations, labels = draw(rows, classes, seed)
    matches = ranked_matches(representations, labels)
    found = recall_at_k(representations, labels, (1, 2, 50), chunk=4)
    for k, value in found.items():
        assert value == pytest.approx(sum(any(row[:k]) for row in matches) / len(matches))


def test_recall_agrees_with_torchmetrics() -> None:
    representations, labels = draw(25, 4, 1)
    unit = torch.nn.functional.normalize(representations, dim=1)
    hits = []
    for query in range(25):
        others = torch.arange(25) != query
        hits.append(retrieval_hit_rate((unit @ unit[query])[others], (labels == labels[query])[others], top_k=3))
    assert recall_at_k(representations, labels, [3])[3] == pytest.approx(torch.stack(hits).mean().item())


@settings(max_examples=40, deadline=None)
@given(**shapes)
def test_map_at_r_is_that_of_a_slow_loop(rows: int, classes: int, seed: int) -> None:
    representations, labels = draw(rows, classes, seed)
    values = []
    for matches in ranked_matches(representations, labels):
        r = sum(matches)
        values.append(sum(sum(matches[: i + 1]) / (i + 1) for i in range(r) if matches[i]) / r)
    found = mean_average_precision_at_r(representations, labels, chunk=4)
    assert found == pytest.approx(sum(values) / len(values))


def test_separate_classes_are_found_perfectly() -> None:
    rows, labels = torch.eye(3).repeat(4, 1), torch.arange(3).repeat(4)
    rows = rows + 0.01 * torch.randn(12, 3, generator=torch.Generator().manual_seed(0))
    assert recall_at_k(rows, labels) == {1: 1.0, 5: 1.0, 10: 1.0}
    assert mean_average_precision_at_r(rows, labels) == 1.0


def test_an_image_alone_in_its_class_is_not_asked_for() -> None:
    rows, labels = torch.tensor([[1.0, 0.0], [1.0, 0.1], [0.0, 1.0]]), torch.tensor([0, 0, 1])
    assert recall_at_k(rows, labels, [1]) == {1: 1.0}
    assert mean_average_precision_at_r(rows, labels) == 1.0


@pytest.mark.parametrize("labels", [[], [0, 1], [0, 0, -1]])
def test_sets_without_anything_to_find_are_refused(labels: list[int]) -> None:
    rows = torch.ones(len(labels), 2)
    for measure in (recall_at_k, mean_average_precision_at_r):
        with pytest.raises(
            RequestError, match=r"^Retrieval needs labelled images and at least one class with two of them"
        ):
            measure(rows, torch.tensor(labels, dtype=torch.int64))


@pytest.mark.parametrize("ks", [(), (0, 1)])
def test_no_neighbours_are_refused(ks: tuple[int, ...]) -> None:
    with pytest.raises(RequestError, match=r"^ks must have at least one number of neighbours, each at least 1, got "):
        recall_at_k(torch.eye(2), torch.tensor([0, 0]), ks)
