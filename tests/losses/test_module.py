"""The module: it stores the options and calls the function."""

from typing import Any

import pytest
import torch

from supcon.losses import MemoryQueue, SupConLoss, supcon_loss, supcon_out_loss

OPTIONS: dict[str, Any] = {
    "temperature": 0.3,
    "summation": "in",
    "denominator": "one_positive",
    "max_positives": 2,
    "rescale": 0.07,
    "normalize": False,
    "reduction": "sum",
    "anchors": "first_view",
}


def test_it_gives_what_the_function_gives() -> None:
    projections, labels = torch.randn(5, 2, 4, dtype=torch.float64), torch.tensor([0, 1, 0, 1, 0])
    queue = MemoryQueue(4, 4).double()
    queue.enqueue(torch.randn(4, 4, dtype=torch.float64), torch.arange(4))
    extra: dict[str, Any] = {"queue": queue, "generator": torch.Generator().manual_seed(0)}
    found = SupConLoss(**OPTIONS)(projections, labels, **extra)
    extra["generator"] = torch.Generator().manual_seed(0)
    assert found == supcon_loss(projections, labels, **OPTIONS, **extra)
    assert SupConLoss(0.2)(projections, labels) == supcon_out_loss(projections, labels, temperature=0.2)
    assert SupConLoss()(projections) == supcon_out_loss(projections)
    weights = torch.rand(10, 10)
    assert SupConLoss()(projections, labels, weights) == supcon_out_loss(projections, pair_weights=weights)


def test_it_prints_its_options() -> None:
    expected = (
        "SupConLoss(temperature=0.1, summation='out', denominator='all', max_positives=None, rescale='none', "
        "normalize=True, reduction='mean', anchors='all', gather_distributed=False)"
    )
    assert repr(SupConLoss()) == expected


def test_it_has_no_state() -> None:
    assert SupConLoss().state_dict() == {}


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"temperature": 0.0}, r"temperature must be a number above 0, got 0\.0"),
        ({"summation": "sum"}, r'summation must be one of "out", "in", got \'sum\''),
        ({"denominator": "some"}, r'denominator must be one of "all", "one_positive", "negatives", got \'some\''),
        ({"max_positives": 0}, "max_positives must be a whole number from 1 up, or None for no cap, got 0"),
        ({"rescale": "tau"}, 'rescale must be "none", "temperature" or a base temperature above 0'),
        ({"reduction": "max"}, r'reduction must be one of "mean", "sum", "none", got \'max\''),
        ({"anchors": "last"}, r'anchors must be one of "all", "first_view", got \'last\''),
    ],
)
def test_wrong_options_are_refused_at_once_by_module_and_function(options: dict[str, Any], sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        SupConLoss(**options)
    with pytest.raises(ValueError, match=sentence):
        supcon_loss(torch.randn(4, 2, 3), torch.arange(4), **options)


def test_a_cap_below_the_other_views_is_refused() -> None:
    with pytest.raises(ValueError, match="max_positives must be at least 3, the anchor's own other views, got 2"):
        SupConLoss(max_positives=2)(torch.randn(3, 4, 5), torch.arange(3))
