"""What must hold for any batch."""

import math
import warnings
from itertools import product
from typing import Any

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor

from supcon.losses import supcon_in_loss, supcon_loss, supcon_out_loss, supcon_row_losses

FORMULAS = st.fixed_dictionaries(
    {
        "summation": st.sampled_from(["out", "in"]),
        "denominator": st.sampled_from(["all", "one_positive", "negatives"]),
        "temperature": st.sampled_from([1e-3, 0.02, 0.1, 1.0, 10.0]),
    }
)
BATCHES = st.tuples(st.lists(st.integers(-1, 3), min_size=2, max_size=9), st.integers(1, 5), st.integers(0, 10**6))


def drawn(batch: tuple[list[int], int, int], dim: int = 4) -> tuple[Tensor, Tensor]:
    labels, views, seed = batch
    generator = torch.Generator().manual_seed(seed)
    return torch.randn(len(labels), views, dim, dtype=torch.float64, generator=generator), torch.tensor(labels)


def quiet_loss(*args: Any, **options: Any) -> Tensor:
    """The loss of batches that may have no anchor."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return supcon_loss(*args, **options)


@settings(deadline=None)
@given(BATCHES, FORMULAS, st.randoms())
def test_order_of_images_and_of_views_and_names_of_classes_do_not_matter(
    batch: tuple[list[int], int, int], formula: dict[str, Any], random: Any
) -> None:
    projections, labels = drawn(batch)
    images, views = list(range(len(labels))), list(range(projections.shape[1]))
    random.shuffle(images)
    random.shuffle(views)
    names = [*random.sample(range(1000), 4), -1]
    renamed = torch.tensor([names[label] for label in labels.tolist()])
    torch.testing.assert_close(
        quiet_loss(projections[images][:, views], renamed[images], **formula),
        quiet_loss(projections, labels, **formula),
    )


@settings(deadline=None)
@given(BATCHES, st.sampled_from(["all", "one_positive", "negatives"]))
def test_eq_3_is_never_above_eq_2(batch: tuple[list[int], int, int], denominator: Any) -> None:
    projections, labels = drawn(batch)
    outside, _ = supcon_row_losses(projections, labels, summation="out", denominator=denominator)
    inside, _ = supcon_row_losses(projections, labels, summation="in", denominator=denominator)
    assert (inside <= outside + 1e-12).all()


@settings(deadline=None)
@given(st.integers(2, 12), st.integers(1, 3), st.sampled_from([1e-3, 0.1, 10.0]))
def test_equal_embeddings_give_the_logarithm_of_the_number_of_other_rows(
    images: int, views: int, temperature: float
) -> None:
    projections = torch.ones(images, views, 3, dtype=torch.float64)
    labels = torch.arange(images) // 2
    for function in (supcon_out_loss, supcon_in_loss):
        loss = function(projections, labels, temperature=temperature)
        torch.testing.assert_close(loss.item(), math.log(images * views - 1))


@settings(deadline=None)
@given(BATCHES, FORMULAS)
def test_a_cap_that_caps_nothing_changes_nothing(batch: tuple[list[int], int, int], formula: dict[str, Any]) -> None:
    projections, labels = drawn(batch)
    capped = quiet_loss(projections, labels, max_positives=projections.shape[0] * projections.shape[1], **formula)
    torch.testing.assert_close(capped, quiet_loss(projections, labels, **formula))


@settings(deadline=None)
@given(st.integers(2, 8), st.integers(2, 4), st.integers(0, 10**6), FORMULAS)
def test_distinct_labels_equal_no_labels(images: int, views: int, seed: int, formula: dict[str, Any]) -> None:
    projections, _ = drawn(([0] * images, views, seed))
    without = supcon_loss(projections, **formula)
    torch.testing.assert_close(supcon_loss(projections, torch.arange(images), **formula), without)
    torch.testing.assert_close(supcon_loss(projections, torch.full((images,), -1), **formula), without)


@settings(deadline=None)
@given(BATCHES, FORMULAS)
def test_no_batch_gives_nan_or_infinity(batch: tuple[list[int], int, int], formula: dict[str, Any]) -> None:
    projections, labels = drawn(batch)
    for dtype in (torch.float64, torch.float32):
        given_projections = projections.detach().clone().to(dtype).requires_grad_()
        loss = quiet_loss(given_projections, labels, **formula)
        loss.backward()
        assert given_projections.grad is not None
        assert loss.isfinite()
        assert given_projections.grad.isfinite().all()


@settings(deadline=None)
@given(BATCHES, FORMULAS, st.integers(0, 9))
def test_a_row_without_positives_neither_counts_nor_poisons(
    batch: tuple[list[int], int, int], formula: dict[str, Any], place: int
) -> None:
    """Wherever it stands in the batch, its value is 0 and the mean is over the others alone."""
    labels, _, seed = batch
    place = min(place, len(labels))
    projections, known = drawn(([*labels[:place], 7, *labels[place:]], 1, seed))
    values, anchors = supcon_row_losses(projections, known, **formula)
    assert not anchors[place]
    assert values[place] == 0
    if anchors.any():
        torch.testing.assert_close(supcon_loss(projections, known, **formula), values[anchors].mean())


@pytest.mark.parametrize("denominator", ["all", "one_positive"])
@pytest.mark.parametrize("summation", ["out", "in"])
def test_a_single_class_has_a_finite_loss(summation: Any, denominator: Any) -> None:
    projections = torch.randn(6, 2, 4, requires_grad=True)
    loss = supcon_loss(projections, torch.zeros(6, dtype=torch.int64), summation=summation, denominator=denominator)
    loss.backward()
    assert projections.grad is not None
    assert loss.isfinite()
    assert projections.grad.isfinite().all()
    assert denominator == "all" or loss == 0


def test_without_negatives_nothing_is_an_anchor_of_the_denominator_negatives() -> None:
    projections = torch.randn(3, 2, 4, requires_grad=True)
    with pytest.warns(UserWarning, match="no row has a positive"):
        loss = supcon_out_loss(projections, torch.zeros(3, dtype=torch.int64), denominator="negatives")
    loss.backward()
    assert projections.grad is not None
    assert loss == 0
    assert (projections.grad == 0).all()


def test_a_single_row_and_no_row_at_all() -> None:
    formulas = (("out", "all"), ("in", "negatives"), ("in", "one_positive"))
    for rows, (summation, denominator), normalize in product((1, 0), formulas, (True, False)):
        projections = torch.randn(rows, 1, 3, requires_grad=True)
        formula = {"summation": summation, "denominator": denominator, "normalize": normalize}
        loss = quiet_loss(projections, torch.zeros(rows).long(), **formula)
        loss.backward()
        assert loss == 0
        assert projections.grad is not None
        assert (projections.grad == 0).all()


@pytest.mark.parametrize("options", [{}, {"summation": "in"}, {"denominator": "one_positive"}])
@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
def test_half_precision_in_and_float32_inside(dtype: torch.dtype, options: dict[str, Any]) -> None:
    projections = torch.randn(6, 2, 8).to(dtype).requires_grad_()
    labels = torch.tensor([0, 1, 0, 2, 1, 0])
    loss = supcon_loss(projections, labels, **options)
    (gradient,) = torch.autograd.grad(loss, projections)
    wide = projections.detach().float().requires_grad_()
    expected = supcon_loss(wide, labels, **options)
    (expected_gradient,) = torch.autograd.grad(expected, wide)
    assert loss.dtype == torch.float32
    assert gradient.dtype == dtype
    assert loss == expected
    assert torch.equal(gradient, expected_gradient.to(dtype))


@pytest.mark.parametrize(
    "options", [{}, {"summation": "in"}, {"denominator": "one_positive"}, {"anchors": "first_view"}]
)
@pytest.mark.usefixtures("way")
def test_autocast_does_not_touch_it(options: dict[str, Any]) -> None:
    projections = torch.randn(8, 2, 16, requires_grad=True)
    labels = torch.arange(8) // 2
    expected = supcon_loss(projections, labels, **options)
    (expected_gradient,) = torch.autograd.grad(expected, projections)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        loss = supcon_loss(projections, labels, **options)
        (gradient,) = torch.autograd.grad(loss, projections)
    assert loss.dtype == torch.float32
    assert loss == expected
    # Two sums in another order; bfloat16 would be off by 1e-2.
    torch.testing.assert_close(gradient, expected_gradient, rtol=1e-5, atol=1e-7)


def test_every_integer_dtype_of_labels() -> None:
    projections = torch.randn(4, 2, 3)
    expected = supcon_out_loss(projections, torch.tensor([0, 1, 1, 0]))
    for dtype in (torch.int8, torch.uint8, torch.int16, torch.int32):
        assert supcon_out_loss(projections, torch.tensor([0, 1, 1, 0], dtype=dtype)) == expected
