"""Eq. 1, N-pairs and triplet, as the supplementary derives them."""

from typing import Any

import pytest
import torch
from torch import Tensor
from torch.nn.functional import softplus

from references.batches import make_batch
from references.supcon_loops import log_sum, unit
from supcon.losses import n_pairs_loss, self_supervised_loss, supcon_out_loss, triplet_loss
from supcon.losses.inputs.class_order import draw_class_order


def generator() -> torch.Generator:
    return torch.Generator().manual_seed(4)


@pytest.mark.parametrize("views", [2, 3])
def test_eq_1(views: int) -> None:
    batch = make_batch([-1] * 6, views)
    rows = [unit(row) for row in batch.rows]
    losses = []
    for i in range(len(rows)):
        others = [a for a in range(len(rows)) if a != i]
        own = [j for j in others if j // views == i // views]
        under = log_sum([rows[i] @ rows[a] / 0.2 for a in others])
        losses.append(torch.stack([under - rows[i] @ rows[j] / 0.2 for j in own]).mean())
    torch.testing.assert_close(self_supervised_loss(batch.projections, temperature=0.2), torch.stack(losses).mean())


@pytest.mark.usefixtures("way")
def test_n_pairs_has_one_positive_of_another_image_and_all_other_rows_below() -> None:
    batch = make_batch([0, 1, 0, -1, 0, 1, 2], views=2)
    values = n_pairs_loss(batch.projections, batch.labels, reduction="none", generator=generator())
    rows = [unit(row) for row in batch.rows]
    for i, value in enumerate(values):
        others = [a for a in range(14) if a != i]
        under = log_sum([rows[i] @ rows[a] for a in others])
        same_class = [a for a in others if batch.row_labels[a] == batch.row_labels[i] >= 0]
        candidates = [p for p in same_class if batch.row_images[p] != batch.row_images[i]]
        distances = [abs(value - (under - rows[i] @ rows[p])).item() for p in candidates]
        assert min(distances) < 1e-10 if candidates else value == 0
    mean = n_pairs_loss(batch.projections, batch.labels, generator=generator())
    torch.testing.assert_close(mean, values.sum() / 10)


def test_n_pairs_gradient_is_that_of_its_formula() -> None:
    batch = make_batch([0, 1, 0, 0, 1], views=2)
    order = draw_class_order(torch.tensor(batch.row_labels), torch.tensor(batch.row_images), generator())
    positive = order.at(order.begin + 2)
    rows = [unit(row) for row in batch.rows]
    terms = []
    for i in range(10):
        under = log_sum([rows[i] @ rows[a] / 0.5 for a in range(10) if a != i])
        terms.append(under - rows[i] @ rows[int(positive[i])] / 0.5)
    loss = n_pairs_loss(batch.projections, batch.labels, temperature=0.5, generator=generator())
    expected = torch.stack(terms).mean()
    torch.testing.assert_close(loss, expected)
    gradients = [torch.autograd.grad(value, batch.projections)[0] for value in (loss, expected)]
    torch.testing.assert_close(*gradients)


def test_n_pairs_with_two_images_of_a_class_and_one_view_is_eq_2() -> None:
    batch = make_batch([0, 1, 0, 1], views=1)
    expected = supcon_out_loss(batch.projections, batch.labels, temperature=1.0)
    torch.testing.assert_close(n_pairs_loss(batch.projections, batch.labels), expected)


@pytest.mark.parametrize("form", ["contrastive", "hinge"])
def test_triplet_is_its_formula_for_one_positive_and_one_negative(form: Any) -> None:
    batch = make_batch([0, 1, 0, -1, 2], views=2)
    values = triplet_loss(
        batch.projections, batch.labels, temperature=0.3, form=form, reduction="none", generator=generator()
    )
    rows = [unit(row) for row in batch.rows]

    def formula(a: Tensor, p: Tensor, n: Tensor) -> Tensor:
        if form == "contrastive":
            return ((a @ n - a @ p) / 0.3).exp().log1p()
        return ((a - p).square().sum() - (a - n).square().sum() + 0.6).clamp(min=0)

    for i, value in enumerate(values):
        same = [
            j
            for j in range(10)
            if batch.row_images[j] == batch.row_images[i] or batch.row_labels[j] == batch.row_labels[i] >= 0
        ]
        others = [j for j in range(10) if j not in same]
        possible = [formula(rows[i], rows[p], rows[n]) for p in same if p != i for n in others]
        assert min(abs(value - choice).item() for choice in possible) < 1e-10


def test_triplet_of_three_rows_is_eq_2_of_two_of_them() -> None:
    """With one positive and one negative there is nothing to draw; the third row has no positive."""
    batch = make_batch([0, 0, 1], views=1)
    expected = supcon_out_loss(batch.projections, batch.labels, temperature=0.2)
    torch.testing.assert_close(triplet_loss(batch.projections, batch.labels, temperature=0.2), expected)
    unit_rows = torch.stack([unit(row) for row in batch.rows])
    similarity = unit_rows @ unit_rows.t() / 0.2
    by_hand = (softplus(similarity[0, 2] - similarity[0, 1]) + softplus(similarity[1, 2] - similarity[0, 1])) / 2
    torch.testing.assert_close(expected, by_hand)


def test_triplet_far_from_its_margin_stays_exact() -> None:
    projections = torch.tensor([[1.0, 0.0], [1.0, 0.0], [-1.0, 0.0]], dtype=torch.float64, requires_grad=True)
    loss = triplet_loss(projections, torch.tensor([0, 0, 1]), temperature=0.05)
    torch.testing.assert_close(loss.item(), torch.tensor(-40.0, dtype=torch.float64).exp().log1p().item())


def test_every_positive_and_negative_gets_its_turn() -> None:
    torch.manual_seed(0)
    batch = make_batch([0, 0, 0, 1, 2, 1], views=1)
    found = {round(triplet_loss(batch.projections, batch.labels, reduction="none")[0].item(), 9) for _ in range(200)}
    assert len(found) == 2 * 3


@pytest.mark.parametrize("function", [n_pairs_loss, triplet_loss])
def test_without_anchors_they_are_0_with_a_warning(function: Any) -> None:
    projections = torch.randn(3, 1, 4, requires_grad=True)
    with pytest.warns(UserWarning, match="no row has a positive"):
        loss = function(projections, torch.arange(3))
    loss.backward()
    assert loss == 0
    assert projections.grad is not None


@pytest.mark.parametrize("function", [n_pairs_loss, triplet_loss, self_supervised_loss])
def test_wrong_options(function: Any) -> None:
    given = (torch.randn(4, 2, 3),) if function is self_supervised_loss else (torch.randn(4, 2, 3), torch.arange(4))
    with pytest.raises(ValueError, match=r"temperature must be a number above 0, got 0"):
        function(*given, temperature=0)
    with pytest.raises(ValueError, match=r'reduction must be one of "mean", "sum", "none", got \'max\''):
        function(*given, reduction="max")


def test_wrong_form_of_the_triplet() -> None:
    with pytest.raises(ValueError, match=r'form must be one of "contrastive", "hinge", got \'soft\''):
        triplet_loss(torch.randn(4, 3), torch.arange(4), form="soft")  # type: ignore[arg-type]


def test_eq_1_needs_views() -> None:
    with pytest.raises(ValueError, match="labels must be given with projections of shape"):
        self_supervised_loss(torch.randn(4, 3))
