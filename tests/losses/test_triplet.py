"""The triplet loss as the paper's supplementary derives it."""

from typing import Any

import pytest
import torch
from torch import Tensor
from torch.nn.functional import softplus

from references.batches import make_batch
from references.supcon_loops import unit
from supcon.losses import supcon_out_loss, triplet, triplet_loss


def generator() -> torch.Generator:
    return torch.Generator().manual_seed(4)


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


def test_wrong_form_of_the_triplet() -> None:
    with pytest.raises(ValueError, match=r'form must be one of "contrastive", "hinge", got \'soft\''):
        triplet_loss(torch.randn(4, 3), torch.arange(4), form="soft")  # type: ignore[arg-type]


@pytest.mark.parametrize("device", ["cpu", "mps"])
def test_on_metal_no_number_has_64_bits_and_none_reaches_the_limit(
    device: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The largest float32 below 1, times 3, rounds to 3."""
    drawn: list[torch.dtype] = []

    def rand(count: int, *, dtype: torch.dtype, **_: object) -> Tensor:
        drawn.append(dtype)
        return torch.full((count,), 1 - 2**-24, dtype=dtype)

    class OnDevice(Tensor):
        @property
        def device(self) -> torch.device:  # type: ignore[override]
            return torch.device(device)

    monkeypatch.setattr(torch, "rand", rand)
    limit = torch.tensor([2**24 - 1, 3, 1, 0])
    if device == "mps":
        monkeypatch.setattr(Tensor, "to", lambda given, *_: given)
        limit = limit.as_subclass(OnDevice)
    found = triplet._below(limit, None)
    assert drawn == [torch.float32 if device == "mps" else torch.float64]
    assert (found.as_subclass(Tensor) < torch.tensor([2**24 - 1, 3, 1, 1])).all()
