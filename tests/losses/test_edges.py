"""Inputs at the edge: NaN and infinity, empty batches, numbers of other kinds, names of other packages."""

import subprocess
import sys
from itertools import product
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor, nn

from references.batches import make_batch
from supcon.losses import MemoryQueue, SupConLoss, engine, pair_gradient_weights, supcon_loss, supcon_out_loss

FORMULAS = list(product(("out", "in"), ("all", "one_positive", "negatives")))


@pytest.mark.usefixtures("way")
@pytest.mark.parametrize("bad", [torch.nan, torch.inf])
@pytest.mark.parametrize(("summation", "denominator"), FORMULAS)
def test_nan_in_is_nan_out(summation: Any, denominator: Any, bad: float) -> None:
    projections = torch.randn(6, 2, 4)
    projections[2, 1, 0] = bad
    projections.requires_grad_()
    labels = torch.tensor([0, 0, 1, 1, 2, 2])
    for options in ({}, {"anchors": "first_view"}, {"pair_weights": torch.rand(12, 12).round()}):
        loss = supcon_loss(projections, labels, summation=summation, denominator=denominator, **options)
        assert loss.isnan()
        (gradient,) = torch.autograd.grad(loss, projections)
        assert gradient.isnan().any()


@pytest.mark.usefixtures("way")
@pytest.mark.parametrize(("summation", "denominator"), FORMULAS)
def test_gradients_stay_finite_where_denormal_numbers_are_0(summation: Any, denominator: Any) -> None:
    if not torch.set_flush_denormal(True):
        pytest.skip("this processor cannot flush denormal numbers")
    try:
        projections = torch.randn(5, 1, 4, requires_grad=True)
        labels = torch.tensor([0, 0, 1, 1, 2])  # the last row has no positive
        for temperature in (0.1, 0.001):
            loss = supcon_loss(
                projections, labels, summation=summation, denominator=denominator, temperature=temperature
            )
            (gradient,) = torch.autograd.grad(loss, projections)
            assert gradient.isfinite().all()
    finally:
        torch.set_flush_denormal(False)


@pytest.mark.parametrize("few", [2**20, -1], ids=["dense", "tiles"])
@pytest.mark.parametrize("denominator", ["all", "one_positive"])
def test_weights_changed_before_backward_are_noticed_or_do_not_matter(
    denominator: Any, few: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(engine, "FEW_PAIRS", few)
    projections, weights = torch.randn(6, 3, requires_grad=True), torch.rand(6, 6)
    expected = torch.autograd.grad(
        supcon_out_loss(projections, pair_weights=weights, denominator=denominator), projections
    )
    loss = supcon_out_loss(projections, pair_weights=weights, denominator=denominator)
    weights.zero_()
    if few > 0:
        torch.testing.assert_close(torch.autograd.grad(loss, projections), expected)
    else:
        with pytest.raises(RuntimeError, match="modified by an inplace operation"):
            loss.backward()


def test_an_empty_batch_has_no_pairs() -> None:
    found = pair_gradient_weights(torch.randn(0, 2, 3), torch.zeros(0, dtype=torch.int64))
    assert found.weights.shape == (0, 0)


@pytest.mark.usefixtures("way")
@pytest.mark.parametrize(("summation", "denominator"), FORMULAS)
@pytest.mark.parametrize("queued", [False, True])
def test_a_learned_temperature_gets_its_gradient(summation: Any, denominator: Any, queued: bool) -> None:
    batch = make_batch([0, 1, 0, 2, 1], views=2)
    queue = None
    if queued:
        queue = MemoryQueue(6, 5).double()
        queue.enqueue(torch.randn(4, 5, dtype=torch.float64), torch.tensor([0, 1, 5, -1]))

    def loss(temperature: Tensor) -> Tensor:
        options: dict[str, Any] = {"summation": summation, "denominator": denominator, "rescale": "temperature"}
        return supcon_loss(batch.projections.detach(), batch.labels, temperature=temperature, queue=queue, **options)

    temperature = torch.tensor(0.3, dtype=torch.float64, requires_grad=True)
    torch.testing.assert_close(
        loss(temperature),
        supcon_loss(
            batch.projections.detach(),
            batch.labels,
            temperature=0.3,
            summation=summation,
            denominator=denominator,
            rescale="temperature",
            queue=queue,
        ),
    )
    assert torch.autograd.gradcheck(loss, temperature)


def test_a_learned_temperature_is_a_parameter_of_the_module() -> None:
    loss = SupConLoss(nn.Parameter(torch.tensor(0.2)))
    assert [name for name, _ in loss.named_parameters()] == ["temperature"]
    loss(torch.randn(4, 2, 3), torch.tensor([0, 0, 1, 1])).backward()
    assert loss.temperature.grad is not None  # type: ignore[union-attr]
    with pytest.raises(
        ValueError, match=r"must be a tensor of one floating-point number, got torch.float32 of shape \[2\]"
    ):
        SupConLoss(torch.ones(2))


def test_numbers_of_numpy() -> None:
    projections, labels = torch.randn(6, 2, 3), torch.zeros(6, dtype=torch.int64)
    assert SupConLoss(np.float32(0.5))(projections, labels) == SupConLoss(0.5)(projections, labels)  # type: ignore[arg-type]
    caps: tuple[Any, ...] = (3, np.int64(3))
    capped = [
        supcon_loss(projections, labels, max_positives=most, generator=torch.Generator().manual_seed(0))
        for most in caps
    ]
    assert capped[0] == capped[1]


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"base_temperature": 0.07}, "has no option base_temperature: it is rescale here: rescale=0.07 multiplies"),
        ({"contrast_mode": "one"}, r'has no option contrast_mode: it is anchors here: anchors="first_view"'),
        ({"tau": 0.1}, r"has no option tau\."),
    ],
)
def test_options_of_other_packages(options: dict[str, Any], sentence: str) -> None:
    with pytest.raises(TypeError, match=sentence):
        SupConLoss(**options)
    with pytest.raises(TypeError, match=sentence):
        supcon_loss(torch.randn(4, 2, 3), torch.arange(4), **options)


def test_a_mask_of_other_packages() -> None:
    with pytest.raises(
        TypeError, match=r"^SupConLoss has no option mask: it is pair_weights here: a \[row, row\] tensor"
    ):
        SupConLoss()(torch.randn(4, 2, 3), mask=torch.eye(4))  # type: ignore[call-arg]
    with pytest.raises(TypeError, match=r"^the loss has no option mask: it is pair_weights here"):
        supcon_loss(torch.randn(4, 2, 3), mask=torch.eye(4))  # type: ignore[call-arg]


def test_features_of_other_packages() -> None:
    with pytest.raises(TypeError, match=r"^SupConLoss has no option features: it is projections here\.$"):
        SupConLoss()(features=torch.randn(4, 2, 3), labels=torch.arange(4))  # type: ignore[call-arg]
    with pytest.raises(ValueError, match="projections must be a floating-point tensor, got NoneType"):
        SupConLoss()(labels=torch.arange(4))


@pytest.mark.parametrize(
    ("option", "hint"),
    [
        ("embeddings", "it is projections here"),
        ("ref_emb", "are given as queue here, a MemoryQueue"),
        ("ref_labels", "are given as queue here, a MemoryQueue"),
        ("indices_tuple", "there are no miners here, .* pair_weights"),
    ],
)
def test_arguments_of_pytorch_metric_learning(option: str, hint: str) -> None:
    given: dict[str, Any] = {option: torch.randn(4, 3)}
    with pytest.raises(TypeError, match=rf"^SupConLoss has no option {option}: .*{hint}"):
        SupConLoss()(**given)


def test_type_checkers_find_misspelt_options() -> None:
    """mypy refuses an ignored error that is none."""
    with pytest.raises(TypeError, match="has no option temprature"):
        SupConLoss(temprature=0.1)  # type: ignore[call-arg]
    with pytest.raises(TypeError, match="has no option pair_weight"):
        SupConLoss()(torch.randn(4, 2, 3), pair_weight=torch.eye(8))  # type: ignore[call-arg]


def test_help_explains_every_option() -> None:
    text = (SupConLoss.__doc__ or "") + (SupConLoss.forward.__doc__ or "")
    options = "temperature summation denominator max_positives rescale normalize reduction anchors gather_distributed"
    for name in (*options.split(), "process_group", "projections", "labels", "pair_weights", "queue", "generator"):
        assert f" {name}: " in text, name


def test_the_import_does_not_load_the_compiler() -> None:
    code = "import sys; from supcon.losses import SupConLoss; SupConLoss(); print('torch._dynamo' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


def test_weights_follow_the_projections_and_a_queue_elsewhere_is_refused() -> None:
    projections = torch.randn(4, 2, 3, device="meta")
    assert supcon_loss(projections, pair_weights=torch.ones(8, 8)).device.type == "meta"
    with pytest.raises(ValueError, match=r"queue must be on the projections' device meta, got cpu; move it once with"):
        supcon_loss(projections, queue=MemoryQueue(4, 3))
