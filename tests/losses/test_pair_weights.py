"""Weights from multi-hot labels, and what is no weight."""

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from supcon.losses import SupConLoss, jaccard_weights, supcon_out_loss


@settings(deadline=None)
@given(st.lists(st.sets(st.integers(0, 4)), min_size=1, max_size=6), st.integers(1, 3))
def test_jaccard_is_intersection_over_union(classes: list[set[int]], views: int) -> None:
    labels = torch.tensor([[index in image for index in range(5)] for image in classes])
    weights = jaccard_weights(labels, views)
    assert weights.shape == (len(classes) * views, len(classes) * views)
    for i, p in torch.cartesian_prod(torch.arange(len(weights)), torch.arange(len(weights))).tolist():
        first, second = classes[i // views], classes[p // views]
        if i // views == p // views:
            assert weights[i, p] == 1
        else:
            expected = len(first & second) / max(1, len(first | second))
            assert abs(weights[i, p] - expected) < 1e-6


@pytest.mark.parametrize("labels", [torch.zeros(3), torch.full((3, 2), 2), torch.full((3, 2), 0.5)])
def test_what_is_not_multi_hot(labels: torch.Tensor) -> None:
    with pytest.raises(ValueError, match=r"labels must have shape \[batch, class\] and hold 0 and 1 only, got shape"):
        jaccard_weights(labels)


def test_what_is_no_weight() -> None:
    projections = torch.randn(4, 2, 3)

    def refused(weights: object, match: str) -> None:
        with pytest.raises(ValueError, match=match):
            supcon_out_loss(projections, pair_weights=weights)  # type: ignore[arg-type]

    refused([[1.0]], r"pair_weights must be a tensor of shape \[row, row\], got list")
    refused(torch.ones(8), r"pair_weights must be a tensor of shape \[row, row\], got \[8\]")
    refused(torch.ones(4, 4), r"pair_weights must have shape \[8, 8\], own rows and all rows, got \[4, 4\]")
    refused(-torch.ones(8, 8), "pair_weights must be finite and not negative")
    refused(torch.full((8, 8), torch.nan), "pair_weights must be finite and not negative")
    refused(torch.full((8, 8), torch.inf), "pair_weights must be finite and not negative")
    refused(torch.ones(8, 8, requires_grad=True), "pair_weights must not require a gradient")
    with pytest.raises(ValueError, match="max_positives must be None with pair_weights, got 3"):
        supcon_out_loss(projections, pair_weights=torch.ones(8, 8), max_positives=3)


@pytest.mark.parametrize("dtype", [torch.bool, torch.int64, torch.float16, torch.float32])
def test_weights_of_any_dtype(dtype: torch.dtype) -> None:
    projections = torch.randn(4, 2, 3, dtype=torch.float64)
    weights = torch.rand(8, 8) < 0.5
    expected = supcon_out_loss(projections, pair_weights=weights.double())
    torch.testing.assert_close(supcon_out_loss(projections, pair_weights=weights.to(dtype)), expected)


def test_the_weight_of_a_row_with_itself_does_not_count() -> None:
    projections, weights = torch.randn(6, 3, dtype=torch.float64), torch.rand(6, 6, dtype=torch.float64)
    expected = supcon_out_loss(projections, pair_weights=weights)
    torch.testing.assert_close(supcon_out_loss(projections, pair_weights=weights.fill_diagonal_(9)), expected)


def test_autocast_does_not_round_the_counts_of_classes() -> None:
    """bfloat16 has no 257."""
    labels = torch.ones(2, 257)
    labels[1, :30] = 0
    with torch.autocast("cpu", dtype=torch.bfloat16):
        weights = jaccard_weights(labels)
    assert weights.dtype == torch.float32
    torch.testing.assert_close(weights, torch.tensor([[1, 227 / 257], [227 / 257, 1]]))


def test_jaccard_does_not_wait_for_a_gpu() -> None:
    assert jaccard_weights(torch.zeros(3, 5, device="meta"), views=2).shape == (6, 6)


def test_a_mask_of_images_is_refused_with_what_to_do() -> None:
    """The authors' mask is [batch, batch], their third argument."""
    projections, mask = torch.randn(4, 2, 3), torch.eye(4)
    advice = r"mask\.repeat_interleave\(2, 0\)\.repeat_interleave\(2, 1\)\.$"
    with pytest.raises(ValueError, match=advice):
        SupConLoss()(projections, None, mask)
    rows = mask.repeat_interleave(2, 0).repeat_interleave(2, 1)
    torch.testing.assert_close(SupConLoss()(projections, None, rows), SupConLoss()(projections))
