"""The draw behind the cap: who is kept, how often, and what happens to those who are not."""

import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor

from supcon.losses import supcon_out_loss, supcon_row_losses
from supcon.losses.inputs.class_order import draw_class_order


def seen(projections: Tensor, labels: Tensor, *, max_positives: int, seed: int) -> Tensor:
    """[anchor, row]: whether the anchor's loss depends on the row at all, told by its gradient."""
    projections = projections.detach().requires_grad_()
    generator = torch.Generator().manual_seed(seed)
    values, _ = supcon_row_losses(projections, labels, max_positives=max_positives, generator=generator)
    gradients = [torch.autograd.grad(value, projections, retain_graph=True)[0].flatten(0, 1) for value in values]
    return torch.stack(gradients).abs().sum(-1) > 1e-12


@settings(deadline=None, max_examples=40)
@given(st.lists(st.integers(-1, 2), min_size=3, max_size=8), st.integers(1, 3), st.integers(0, 5), st.integers(0, 999))
def test_a_cap_keeps_own_views_and_at_most_so_many_and_no_left_out_positive_becomes_a_negative(
    labels: list[int], views: int, more: int, seed: int
) -> None:
    most = max(1, views - 1 + more)
    labels = [*labels, 10, 11]  # so that every anchor has negatives, without which one positive alone has no gradient
    torch.manual_seed(seed)
    projections = torch.randn(len(labels), views, 6, dtype=torch.float64)
    found = seen(projections, torch.tensor(labels), max_positives=most, seed=seed)
    row_labels = torch.tensor(labels).repeat_interleave(views)
    image = torch.arange(len(labels)).repeat_interleave(views)
    own = image[:, None] == image
    same = own | ((row_labels[:, None] == row_labels) & (row_labels >= 0))
    itself = torch.eye(len(image), dtype=torch.bool)
    for i in range(len(image)):
        positives = same[i] & ~itself[i]
        if not positives.any():
            continue
        kept = found[i] & positives
        assert kept.sum() == min(most, int(positives.sum()))
        assert kept[own[i] & ~itself[i]].all()
        assert found[i][~same[i]].all()


def test_every_other_row_of_the_class_is_equally_likely() -> None:
    label, image = torch.tensor([0] * 8 + [1] * 4), torch.arange(12) // 2
    generator = torch.Generator().manual_seed(0)
    counts = torch.zeros(12)
    draws = 3000
    for _ in range(draws):
        order = draw_class_order(label, image, generator)
        # The one row that follows anchor 0's image: P(i) under a cap of two with two views.
        counts[order.at(order.begin + 2)[0]] += 1
    assert counts[[0, 1, 8, 9, 10, 11]].sum() == 0
    expected = draws / 6
    assert ((counts[2:8] - expected).square().sum() / expected) < 20.5  # chi-square, 5 degrees, p = 0.001


def test_the_generator_decides() -> None:
    torch.manual_seed(0)
    projections, labels = torch.randn(12, 2, 4), torch.zeros(12, dtype=torch.int64)

    def loss(seed: int) -> float:
        generator = torch.Generator().manual_seed(seed)
        return supcon_out_loss(projections, labels, max_positives=3, generator=generator).item()

    assert loss(1) == loss(1)
    assert loss(1) != loss(2)
    torch.manual_seed(5)
    first = supcon_out_loss(projections, labels, max_positives=3)
    torch.manual_seed(5)
    assert supcon_out_loss(projections, labels, max_positives=3) == first
    assert supcon_out_loss(projections, labels, max_positives=3) != first


def test_a_cap_of_one_with_two_views_is_eq_1_without_the_class_in_the_denominator() -> None:
    """As Table 5 has it: with one positive this is self-supervised, but for what the cap takes out."""
    torch.manual_seed(0)
    projections = torch.randn(6, 2, 4, dtype=torch.float64)
    capped = supcon_out_loss(projections, torch.arange(6), max_positives=1)
    torch.testing.assert_close(capped, supcon_out_loss(projections))
