from typing import Any

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import nn

from supcon.projection.projection import Projection


@settings(max_examples=30, deadline=None)
@given(st.integers(1, 6), st.integers(1, 12), st.integers(1, 12), st.sampled_from(["mlp", "linear"]))
def test_projections_lie_on_the_unit_sphere(batch: int, representation: int, width: int, kind: str) -> None:
    torch.manual_seed(0)
    found = Projection(representation, width, kind)(torch.randn(batch, representation))  # type: ignore[arg-type]
    assert found.shape == (batch, width)
    norms = found.norm(dim=1)
    assert (torch.isclose(norms, torch.ones(batch), atol=1e-5) | (norms == 0)).all()


def test_linear_is_one_matrix() -> None:
    head = Projection(5, 3, "linear")
    rows = torch.randn(4, 5)
    assert [p.shape for p in head.parameters()] == [(3, 5)]
    expected = rows @ head.layers.weight.T  # type: ignore[operator]
    assert torch.allclose(head(rows), expected / expected.norm(dim=1, keepdim=True), atol=1e-6)


def test_mlp_has_one_hidden_layer_as_wide_as_the_representation() -> None:
    head = Projection(5, 3, "mlp")
    assert [tuple(p.shape) for p in head.parameters()] == [(5, 5), (5,), (3, 5), (3,)]
    first_weight, first_bias, second_weight, second_bias = head.parameters()
    rows = torch.randn(4, 5)
    expected = (rows @ first_weight.T + first_bias).clamp_min(0) @ second_weight.T + second_bias
    assert torch.allclose(head(rows), nn.functional.normalize(expected, dim=1), atol=1e-6)


def test_the_papers_head_for_resnet_50() -> None:
    assert sum(p.numel() for p in Projection(2048).parameters()) == 2048 * 2048 + 2048 + 2048 * 128 + 128


@pytest.mark.parametrize("kind", ["mlp", "linear"])
def test_representations_are_left_as_they_are(kind: str) -> None:
    rows = torch.randn(4, 5)
    before = rows.clone()
    Projection(5, 3, kind)(rows)  # type: ignore[arg-type]
    assert torch.equal(rows, before)


def test_none_is_the_representation_itself() -> None:
    head = Projection(5, 3, "none")
    rows = torch.randn(4, 5)
    assert list(head.parameters()) == []
    assert head.width == 5
    assert torch.equal(head(rows), nn.functional.normalize(rows, dim=1))


@pytest.mark.parametrize(("kind", "width"), [("mlp", 3), ("linear", 3), ("none", 5)])
def test_width_is_what_comes_out(kind: Any, width: int) -> None:
    head = Projection(5, 3, kind)
    assert head.width == width == head(torch.randn(2, 5)).shape[1]


def test_deeper_and_wider() -> None:
    head = Projection(5, 3, hidden_width=7, hidden_layers=3)
    shapes = [tuple(p.shape) for p in head.parameters()]
    assert shapes == [(7, 5), (7,), (7, 7), (7,), (7, 7), (7,), (3, 7), (3,)]


def test_the_authors_simclr_head() -> None:
    """2048-2048-128 with batch norm in the hidden layers and no bias beside it."""
    head = Projection(2048, 128, hidden_layers=2, batch_norm=True)
    assert sum(p.numel() for p in head.parameters()) == 2 * (2048 * 2048 + 2 * 2048) + 2048 * 128


def test_batch_norm_stands_before_the_relu() -> None:
    torch.manual_seed(0)
    head = Projection(4, 3, hidden_width=6, batch_norm=True)
    first, scale, shift, last = head.parameters()
    rows = torch.randn(8, 4)
    hidden = rows @ first.T
    hidden = (hidden - hidden.mean(0)) / (hidden.var(0, unbiased=False) + 1e-5).sqrt() * scale + shift
    expected = hidden.clamp_min(0) @ last.T
    assert torch.allclose(head(rows), nn.functional.normalize(expected, dim=1), atol=1e-5)


def test_centred_projections_of_one_direction_point_everywhere() -> None:
    torch.manual_seed(0)
    rows = 10 + torch.rand(64, 5)  # all of a batch in one narrow cone, as behind a ReLU
    similarities = {}
    for centre in (False, True):
        projections = Projection(5, 3, "none", centre=centre)(rows)
        similarities[centre] = float(((projections @ projections.T).sum() - 64) / (64 * 63))
    assert similarities[False] > 0.99
    assert abs(similarities[True]) < 0.05


def test_centring_has_nothing_to_learn_and_uses_its_averages_in_evaluation() -> None:
    head = Projection(5, 3, "none", centre=True)
    assert not list(head.parameters())
    for _ in range(200):
        head(4 + torch.randn(32, 5))
    lone = head.eval()(torch.full((1, 5), 4.0) + torch.tensor([1.0, 0, 0, 0, 0]))
    assert lone[0, 0] > 0.9
