"""MixUp and CutMix: the images, their shares, and what becomes of the labels."""

from typing import Any

import pytest
import torch

from supcon.views import cutmix, mixup


def seeded(seed: int = 0) -> torch.Generator:
    return torch.Generator().manual_seed(seed)


@pytest.mark.parametrize("dtype", [torch.uint8, torch.float32])
def test_mixup_blends_with_the_partner(dtype: torch.dtype, photos: Any) -> None:
    images = photos(12, 3, 10, 14)
    images = images / 255 if dtype.is_floating_point else images
    mixed = mixup(images, alpha=0.8, generator=seeded())
    assert mixed.images.dtype == dtype
    assert sorted(mixed.partners.tolist()) == list(range(12))
    for row, (partner, share) in enumerate(zip(mixed.partners, mixed.shares, strict=True)):
        expected = share.double() * images[row].double() + (1 - share.double()) * images[partner].double()
        limit = 1e-6 if dtype.is_floating_point else 0.501
        assert float((mixed.images[row].double() - expected).abs().max()) <= limit


@pytest.mark.parametrize("dtype", [torch.uint8, torch.float32])
def test_cutmix_pastes_one_box_of_the_partner(dtype: torch.dtype) -> None:
    # Every image is one value, so that each pixel tells whose it is.
    images = torch.arange(16).view(-1, 1, 1, 1).expand(16, 3, 12, 20).to(dtype)
    images = images / 255 if dtype.is_floating_point else images
    mixed = cutmix(images, generator=seeded(1))
    for row, (partner, share) in enumerate(zip(mixed.partners.tolist(), mixed.shares.tolist(), strict=True)):
        pasted = mixed.images[row, 0] == images[partner, 0, 0, 0]
        if partner == row:
            continue
        assert torch.equal(mixed.images[row][:, ~pasted], images[row][:, ~pasted])
        assert share == pytest.approx(1 - float(pasted.double().mean()), abs=1e-6)
        rows, columns = pasted.any(dim=1), pasted.any(dim=0)
        assert torch.equal(pasted, rows.unsqueeze(1) & columns)
        assert int(rows.int().diff().abs().sum()) <= 2
        assert int(columns.int().diff().abs().sum()) <= 2


def test_shares_are_beta_distributed() -> None:
    images = torch.zeros(20_000, 1, 1, 1)
    for alpha in (0.2, 1.0, 3.0):
        shares = mixup(images, alpha=alpha, generator=seeded()).shares.double()
        assert float(shares.mean()) == pytest.approx(0.5, abs=0.015)
        assert float(shares.var()) == pytest.approx(1 / (4 * (2 * alpha + 1)), rel=0.05)


def test_cutmix_shares_where_the_border_cuts_nothing() -> None:
    """With alpha 1 the wanted share is even; the border can only raise it."""
    shares = cutmix(torch.zeros(4000, 1, 32, 32, dtype=torch.uint8), generator=seeded()).shares
    assert float(shares.min()) >= 0
    assert float(shares.max()) <= 1
    assert 0.5 < float(shares.mean()) < 0.75


@pytest.mark.parametrize("mix", [mixup, cutmix])
def test_probability_and_seed(mix: Any, photos: Any) -> None:
    images = photos(300, 1, 8, 8)
    mixed = mix(images, probability=0.3, generator=seeded(4))
    left_alone = mixed.shares == 1
    assert float(left_alone.double().mean()) == pytest.approx(0.7, abs=0.12)
    assert torch.equal(mixed.images[left_alone], images[left_alone])
    torch.manual_seed(0)
    again = mix(images, probability=0.3, generator=seeded(4))
    assert torch.equal(mixed.images, again.images)
    assert not torch.equal(mixed.images, mix(images, probability=0.3, generator=seeded(5)).images)


@pytest.mark.parametrize("mix", [mixup, cutmix])
def test_wrong_numbers_are_refused(mix: Any, photos: Any) -> None:
    with pytest.raises(ValueError, match=r"alpha must be above 0, got 0"):
        mix(photos(2, 3, 8, 8), alpha=0.0)
    with pytest.raises(ValueError, match=r"probability must be between 0 and 1, got 1.5"):
        mix(photos(2, 3, 8, 8), probability=1.5)
    with pytest.raises(ValueError, match=r"images must be .batch, channel, height, width"):
        mix(torch.zeros(3, 8, 8))
