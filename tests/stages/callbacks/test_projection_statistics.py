"""The figures of the sphere against loops over all pairs, in double precision."""

import math

import pytest
import torch
import torch.nn.functional as F
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor

from supcon.evaluation import uniformity
from supcon.stages.callbacks.projection_statistics import similarity_metrics


def batch(images: int, views: int, seed: int) -> Tensor:
    return torch.randn(images, views, 4, generator=torch.Generator().manual_seed(seed))


def by_pairs(projections: Tensor, labels: Tensor | None) -> tuple[list[float], list[float]]:
    """Similarities of positives and of negatives, pair by pair."""
    rows, views = F.normalize(projections.flatten(0, 1).double(), dim=1), projections.shape[1]
    positives: list[float] = []
    negatives: list[float] = []
    for i in range(len(rows)):
        for j in range(len(rows)):
            same = i // views == j // views
            if labels is not None and labels[i // views] >= 0:
                same = same or bool(labels[i // views] == labels[j // views])
            if i != j:
                (positives if same else negatives).append(float(rows[i] @ rows[j]))
    return positives, negatives


@settings(max_examples=30, deadline=None)
@given(st.integers(2, 9), st.integers(2, 3), st.integers(0, 99), st.booleans())
def test_means_are_those_over_all_pairs(images: int, views: int, seed: int, labelled: bool) -> None:
    projections = batch(images, views, seed)
    labels = torch.randint(-1, 3, (images,), generator=torch.Generator().manual_seed(seed)) if labelled else None
    found = {name: value.item() for name, value in similarity_metrics(projections, labels).items()}
    positives, negatives = by_pairs(projections, labels)
    mean = sum(positives) / len(positives)
    assert found["positive_similarity"] == pytest.approx(mean, abs=1e-5)
    assert found["alignment"] == pytest.approx(2 - 2 * mean, abs=1e-5)
    assert found["negative_similarity"] == pytest.approx(sum(negatives) / max(len(negatives), 1), abs=1e-5)
    everything = positives + negatives
    assert found["similarity"] == pytest.approx(sum(everything) / len(everything), abs=1e-5)
    exact = math.log(sum(math.exp(4 * value - 4) for value in everything) / len(everything))
    assert found["uniformity"] == pytest.approx(exact, abs=1e-5)


def test_uniformity_of_many_rows_is_close_to_that_of_all() -> None:
    projections = batch(2000, 2, 0) + torch.tensor([1.0, 0, 0, 0])
    sampled = similarity_metrics(projections, None)["uniformity"].item()
    assert sampled == pytest.approx(uniformity(projections.flatten(0, 1)), abs=0.1)


def test_equal_projections_are_wholly_similar() -> None:
    figures = similarity_metrics(torch.ones(6, 2, 4), torch.arange(6) % 2)
    expected = {"positive_similarity": 1, "negative_similarity": 1, "similarity": 1, "alignment": 0, "uniformity": 0}
    assert {name: round(value.item(), 5) for name, value in figures.items()} == expected
