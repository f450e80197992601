"""Targets and pair weights of mixed images against loops."""

from typing import Any

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from supcon.losses import supcon_out_loss
from supcon.views import Mixed, make_views, mixed_pair_weights, mixed_targets, mixup
from supcon.views.crop_flip import CropFlip


def seeded(seed: int = 0) -> torch.Generator:
    return torch.Generator().manual_seed(seed)


def test_targets_are_probabilities_of_both_labels() -> None:
    labels = torch.tensor([3, 0, 3, 1])
    mixed = Mixed(torch.zeros(4, 1, 1, 1), torch.tensor([1, 0, 0, 2]), torch.tensor([0.25, 0.5, 0.9, 1.0]))
    expected = torch.tensor([[0.75, 0, 0, 0.25], [0.5, 0, 0, 0.5], [0, 0, 0, 1.0], [0, 1.0, 0, 0]])
    assert torch.allclose(mixed_targets(labels, mixed, classes=4), expected)
    with pytest.raises(ValueError, match=r"labels must be between 0 and 2 to be mixed, got 0 to 3; leave unlabelled"):
        mixed_targets(labels, mixed, classes=3)
    with pytest.raises(ValueError, match=r"labels must be between 0 and 3 to be mixed, got -1 to 3"):
        mixed_targets(torch.tensor([3, 0, -1, 1]), mixed, classes=4)


def slow_pair_weights(labels: list[int], partners: list[int], shares: list[float], views: int) -> list[list[float]]:
    """From the definition: the probability that labels drawn by the shares agree."""
    own = [label if label >= 0 else -1 - image for image, label in enumerate(labels) for _ in range(views)]
    draws = [{} for _ in own]  # type: list[dict[int, float]]
    for row, (partner, share) in enumerate(zip(partners, shares, strict=True)):
        for name, part in ((own[row], share), (own[partner], 1 - share)):
            draws[row][name] = draws[row].get(name, 0.0) + part
    return [[sum(part * b.get(name, 0.0) for name, part in a.items()) for b in draws] for a in draws]


@settings(deadline=None)
@given(st.data(), st.integers(1, 5), st.integers(1, 3))
def test_pair_weights_are_the_probability_that_labels_agree(data: st.DataObject, images: int, views: int) -> None:
    rows = images * views
    labels = data.draw(st.lists(st.integers(-1, 2), min_size=images, max_size=images))
    partners = data.draw(st.permutations(range(rows)))
    shares = data.draw(st.lists(st.floats(0, 1), min_size=rows, max_size=rows))
    mixed = Mixed(torch.zeros(rows, 1, 1, 1), torch.tensor(partners), torch.tensor(shares))
    got = mixed_pair_weights(torch.tensor(labels), mixed, views)
    expected = torch.tensor(slow_pair_weights(labels, partners, shares, views))
    assert torch.allclose(got, expected, atol=1e-6)
    assert torch.allclose(got, got.t())


def test_unmixed_rows_give_the_loss_of_the_labels(photos: Any) -> None:
    labels = torch.tensor([0, 1, 0, 2, -1, 1])
    views = make_views(photos(6, 3, 8, 8), CropFlip(), count=2, generator=seeded())
    mixed = mixup(views.flatten(0, 1), probability=0.0, generator=seeded())
    weights = mixed_pair_weights(labels, mixed, views=2)
    projections = torch.nn.functional.normalize(torch.randn(6, 2, 16, generator=seeded(1)), dim=-1)
    soft = supcon_out_loss(projections, labels, pair_weights=weights, temperature=0.1)
    assert torch.allclose(soft, supcon_out_loss(projections, labels, temperature=0.1), atol=1e-5)


def test_without_labels_an_image_is_its_own_class() -> None:
    mixed = Mixed(torch.zeros(4, 1, 1, 1), torch.arange(4), torch.ones(4))
    expected = torch.tensor([[1.0, 1, 0, 0], [1, 1, 0, 0], [0, 0, 1, 1], [0, 0, 1, 1]])
    assert torch.equal(mixed_pair_weights(None, mixed, views=2), expected)


def test_rows_must_be_images_times_views() -> None:
    mixed = Mixed(torch.zeros(4, 1, 1, 1), torch.arange(4), torch.ones(4))
    with pytest.raises(ValueError, match=r"rows must be images times views, got 4 rows, 3 labels and 2 views"):
        mixed_pair_weights(torch.tensor([0, 1, 2]), mixed, views=2)
    with pytest.raises(ValueError, match=r"rows must be images times views, got 4 rows, no labels and 3 views"):
        mixed_pair_weights(None, mixed, views=3)


def test_autocast_does_not_round_pair_weights() -> None:
    shares = torch.rand(12, generator=seeded())
    mixed = Mixed(torch.zeros(12, 1, 1, 1), torch.randperm(12, generator=seeded()), shares)
    expected = mixed_pair_weights(torch.arange(6) % 3, mixed._replace(shares=shares.double()), views=2)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        found = mixed_pair_weights(torch.arange(6) % 3, mixed, views=2)
    torch.testing.assert_close(found, expected.float(), rtol=1e-6, atol=1e-7)


def test_pair_weights_do_not_wait_for_a_gpu() -> None:
    mixed = Mixed(*(torch.zeros(12, dtype=dtype, device="meta") for dtype in (torch.uint8, torch.int64, torch.float32)))
    assert mixed_pair_weights(torch.zeros(6, dtype=torch.int64, device="meta"), mixed, views=2).shape == (12, 12)
