import math

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor

from supcon.base.errors import RequestError
from supcon.evaluation import alignment, class_separation, uniformity

shapes = {"rows": st.integers(2, 25), "classes": st.integers(1, 5), "seed": st.integers(0, 10_000)}


def draw(rows: int, classes: int, seed: int) -> tuple[Tensor, Tensor]:
    generator = torch.Generator().manual_seed(seed)
    labels = torch.randint(classes, (rows,), generator=generator)
    labels[:2] = 0
    return torch.randn(rows, 3, generator=generator, dtype=torch.float64), labels


def unit(rows: Tensor) -> Tensor:
    return torch.nn.functional.normalize(rows, dim=1)


@settings(max_examples=40, deadline=None)
@given(**shapes)
def test_alignment_is_that_of_all_pairs(rows: int, classes: int, seed: int) -> None:
    representations, labels = draw(rows, classes, seed)
    z = unit(representations)
    pairs = [
        float((z[i] - z[j]).square().sum())
        for i in range(rows)
        for j in range(rows)
        if i != j and labels[i] == labels[j]
    ]
    assert alignment(representations, labels) == pytest.approx(sum(pairs) / len(pairs), abs=1e-9)


@settings(max_examples=40, deadline=None)
@given(**shapes, t=st.sampled_from([0.5, 2.0, 10.0]))
def test_uniformity_is_that_of_all_pairs(rows: int, classes: int, seed: int, t: float) -> None:
    representations, _ = draw(rows, classes, seed)
    distances = torch.pdist(unit(representations))
    expected = (-t * distances.square()).exp().mean().log().item()
    assert uniformity(representations, t, chunk=4) == pytest.approx(expected, abs=1e-9)


@settings(max_examples=40, deadline=None)
@given(**shapes)
def test_separation_is_that_of_all_pairs(rows: int, classes: int, seed: int) -> None:
    representations, labels = draw(rows, classes, seed)
    z = unit(representations)
    present = labels.unique()

    def mean_distance(a: int, b: int) -> float:
        return float((1 - z[labels == a] @ z[labels == b].T).mean())

    within = sum(mean_distance(int(k), int(k)) for k in present) / len(present)
    overall = sum(mean_distance(int(j), int(k)) for j in present for k in present) / len(present) ** 2
    assert class_separation(representations, labels) == pytest.approx(1 - within / overall, abs=1e-9)


def test_collapsed_classes() -> None:
    """Every class on its own point: perfectly aligned and separate; all on one: not separate at all."""
    labels = torch.arange(4).repeat(3)
    apart = torch.eye(4)[labels]
    assert alignment(apart, labels) == pytest.approx(0, abs=1e-9)
    assert class_separation(apart, labels) == pytest.approx(1)
    collapsed = torch.ones(12, 4)
    assert class_separation(collapsed, labels) == 0.0
    assert uniformity(collapsed) == pytest.approx(0, abs=1e-6)


def test_two_opposite_points() -> None:
    assert uniformity(torch.tensor([[1.0, 0.0], [-1.0, 0.0]])) == pytest.approx(-8)
    assert math.isfinite(uniformity(torch.tensor([[1.0, 0.0], [-1.0, 0.0]]), t=100.0))


def test_what_has_no_pairs_is_refused() -> None:
    one, label = torch.ones(1, 2), torch.tensor([0])
    with pytest.raises(RequestError, match=r"^The uniformity needs at least two images, got 1; add images\.$"):
        uniformity(one)
    with pytest.raises(RequestError, match=r"^The alignment needs at least one class with two images; "):
        alignment(one, label)
    with pytest.raises(RequestError, match=r"^The geometry of the classes needs labelled images; add labels\.$"):
        class_separation(one, torch.tensor([-1]))
