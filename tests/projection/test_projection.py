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
