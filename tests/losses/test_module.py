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


@pytest.mark.parametrize(
    ("projections", "labels", "sentence"),
    [
        ([[1.0]], None, "projections must be a floating-point tensor, got list"),
        (torch.ones(4, 2, 3).long(), None, r"projections must be a floating-point tensor, got torch\.int64"),
        (torch.ones(4), None, r"projections must have shape \[batch, view, dim\] or \[row, dim\] .* got \[4\]"),
        (torch.ones(4, 2, 3, 3), None, r"got \[4, 2, 3, 3\]"),
        (torch.ones(4, 0, 3), None, r"with at least one view and dimension, got \[4, 0, 3\]"),
        (torch.ones(4, 0), torch.arange(4), r"with at least one view and dimension, got \[4, 0\]"),
        (torch.ones(4, 3), None, r"labels must be given with projections of shape \[row, dim\], got None"),
        (torch.ones(4, 2, 3), [0, 1, 2, 3], "labels must be a tensor of whole numbers, got list"),
        (torch.ones(4, 2, 3), torch.arange(4.0), r"labels must be a tensor of whole numbers, got torch\.float32"),
        (torch.ones(4, 2, 3), torch.ones(4) > 0, r"labels must be a tensor of whole numbers, got torch\.bool"),
        (torch.ones(4, 2, 3), torch.arange(8), r"labels must have shape \[4\], .* got \[8\]"),
        (torch.ones(4, 2, 3), torch.ones(4, 5).long(), r"got \[4, 5\]; for several classes each, give pair_weights"),
        (torch.ones(4, 3), torch.arange(3), r"labels must have shape \[4\], .* got \[3\]"),
        (torch.ones(4, 3), torch.tensor([0, -1, -2, 3]), "labels must be classes from 0 up, or -1 .*, got -2"),
    ],
)
def test_wrong_input_is_refused(projections: Any, labels: Any, sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        SupConLoss()(projections, labels)


def test_a_cap_below_the_other_views_is_refused() -> None:
    with pytest.raises(ValueError, match="max_positives must be at least 3, the anchor's own other views, got 2"):
        SupConLoss(max_positives=2)(torch.randn(3, 4, 5), torch.arange(3))


def test_labels_may_live_on_another_device_or_in_another_layout() -> None:
    projections, labels = torch.randn(4, 2, 3), torch.tensor([0, 9, 1, 9, 0, 9, 1, 9])
    assert SupConLoss()(projections, labels[::2]) == SupConLoss()(projections, labels[::2].clone())
