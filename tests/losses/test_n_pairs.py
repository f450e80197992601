"""The N-pairs loss as the paper's supplementary derives it."""

import pytest
import torch

from references.batches import make_batch
from references.supcon_loops import log_sum, unit
from supcon.losses import n_pairs_loss, supcon_out_loss
from supcon.losses.inputs.class_order import draw_class_order


def generator() -> torch.Generator:
    return torch.Generator().manual_seed(4)


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


def test_labels_are_required() -> None:
    with pytest.raises(ValueError, match="labels must be given, got None"):
        n_pairs_loss(torch.randn(4, 2, 3), None)  # type: ignore[arg-type]
