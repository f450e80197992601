"""Eq. 1, 2 and 3 with every option and combination, values and gradients, against loops over sets."""

from itertools import product
from typing import Any

import pytest
import torch

from references.batches import Batch, make_batch
from references.supcon_loops import (
    Negatives,
    Positives,
    class_sets,
    kept_positives,
    mean,
    row_losses,
    unit,
    weighted_sets,
)
from supcon.losses import MemoryQueue, jaccard_weights, supcon_in_loss, supcon_loss, supcon_out_loss, supcon_row_losses
from supcon.losses.inputs.class_order import draw_class_order

LABELS = [0, 1, 0, -1, 2, 1, 0, -1]
"""A class of three, a class of two, one that is alone, and two unlabelled."""
QUEUE_LABELS = [1, 0, -1, 5, 1]
FORMULAS = list(product(("out", "in"), ("all", "one_positive", "negatives")))

pytestmark = pytest.mark.usefixtures("way")


def filled_queue(dim: int = 5) -> MemoryQueue:
    queue = MemoryQueue(size=8, dim=dim).double()
    projections = torch.randn(len(QUEUE_LABELS), dim, dtype=torch.float64, generator=torch.Generator().manual_seed(9))
    queue.enqueue(projections, torch.tensor(QUEUE_LABELS))
    return queue


def sets_of(batch: Batch, *, with_queue: bool = False, max_positives: int | None = None) -> tuple[Positives, Negatives]:
    """P(i) and N(i) of a batch, capped as the loss caps with a generator of seed 3."""
    labels, images = [*batch.row_labels], [*batch.row_images]
    if with_queue:
        labels += QUEUE_LABELS
        images += range(len(images), len(images) + len(QUEUE_LABELS))
    positives, negatives = class_sets(labels, images, anchors=len(batch.row_labels))
    if max_positives is not None:
        names = torch.tensor([-1 - image if label < 0 else label for label, image in zip(labels, images, strict=True)])
        order = draw_class_order(names, torch.tensor(images), torch.Generator().manual_seed(3)).row.tolist()
        cycles = [[row for row in order if names[row] == name] for name in names.unique()]
        kept = kept_positives(cycles, images, max_positives)
        positives = [{p: 1.0 for p in own if p in kept[i]} for i, own in enumerate(positives)]
    return positives, negatives


def assert_agrees(batch: Batch, sets: tuple[Positives, Negatives], formula: dict[str, Any], **options: Any) -> None:
    """The loss and its gradient, in float64 and in float32, are those of the loops."""
    rows, queue = batch.rows, options.get("queue")
    rows += [] if queue is None else list(queue.contents()[0])
    if options.get("normalize", True):
        rows = [unit(row) for row in rows]
    values = row_losses(rows, *sets, **formula)
    if options.get("anchors") == "first_view":
        views = batch.projections.shape[1]
        values = [value if row % views == 0 else None for row, value in enumerate(values)]
    expected = mean(values)
    (expected_gradient,) = torch.autograd.grad(expected, batch.projections)
    labels = options.pop("labels", batch.labels)
    for dtype, tolerance in ((torch.float64, 1e-10), (torch.float32, 1e-5)):
        projections = batch.projections.detach().to(dtype).requires_grad_()
        if "max_positives" in options:
            options["generator"] = torch.Generator().manual_seed(3)
        loss = supcon_loss(projections, labels, **formula, **options)
        (gradient,) = torch.autograd.grad(loss, projections)
        assert loss.dtype == dtype
        assert abs(loss.item() / expected.item() - 1) < tolerance
        assert (gradient - expected_gradient).norm() / expected_gradient.norm() < tolerance


@pytest.mark.parametrize(("summation", "denominator"), FORMULAS)
@pytest.mark.parametrize("views", [1, 2, 3])
def test_every_formula_agrees_with_the_loops(summation: str, denominator: str, views: int) -> None:
    batch = make_batch(LABELS, views)
    formula = {"temperature": 0.2, "summation": summation, "denominator": denominator}
    assert_agrees(batch, sets_of(batch), formula)


@pytest.mark.parametrize(("summation", "denominator"), FORMULAS)
def test_first_view_anchors_a_cap_and_a_queue_in_every_combination(summation: str, denominator: str) -> None:
    batch = make_batch(LABELS, views=2)
    formula = {"temperature": 0.3, "summation": summation, "denominator": denominator}
    for anchors, max_positives, queue in product(("all", "first_view"), (None, 1, 2, 4), (None, filled_queue())):
        sets = sets_of(batch, with_queue=queue is not None, max_positives=max_positives)
        cap = {} if max_positives is None else {"max_positives": max_positives}
        assert_agrees(batch, sets, formula, anchors=anchors, queue=queue, **cap)


@pytest.mark.parametrize(("summation", "denominator"), FORMULAS)
def test_inner_products_as_given(summation: str, denominator: str) -> None:
    batch = make_batch(LABELS, views=2)
    formula = {"temperature": 2.0, "summation": summation, "denominator": denominator}
    assert_agrees(batch, sets_of(batch), formula, normalize=False)
    assert_agrees(batch, sets_of(batch, with_queue=True), formula, normalize=False, queue=filled_queue())


@pytest.mark.parametrize(("summation", "denominator"), FORMULAS)
def test_soft_positives(summation: str, denominator: str) -> None:
    batch = make_batch(LABELS, views=2)
    generator = torch.Generator().manual_seed(5)
    weights = torch.rand(16, 16, generator=generator, dtype=torch.float64)
    weights = weights * (torch.rand(16, 16, generator=generator) < 0.4)
    weights[3] = 0
    formula = {"temperature": 0.3, "summation": summation, "denominator": denominator}
    assert_agrees(batch, weighted_sets(weights), formula, pair_weights=weights)
    assert_agrees(batch, weighted_sets(weights), formula, pair_weights=weights, anchors="first_view")
    assert_agrees(batch, weighted_sets(weights), formula, pair_weights=weights, labels=None)


@pytest.mark.parametrize(("summation", "denominator"), FORMULAS)
def test_soft_positives_in_the_batch_and_classes_in_the_queue(summation: str, denominator: str) -> None:
    batch = make_batch(LABELS, views=1)
    weights = torch.rand(8, 8, generator=torch.Generator().manual_seed(5), dtype=torch.float64).round(decimals=1)
    positives, negatives = weighted_sets(weights)
    in_queue = sets_of(batch, with_queue=True)
    for i in range(8):
        positives[i] |= {p: weight for p, weight in in_queue[0][i].items() if p >= 8}
        negatives[i] |= {n for n in in_queue[1][i] if n >= 8}
    formula = {"temperature": 0.3, "summation": summation, "denominator": denominator}
    assert_agrees(batch, (positives, negatives), formula, pair_weights=weights, queue=filled_queue())


@pytest.mark.parametrize(("summation", "denominator"), FORMULAS)
@pytest.mark.parametrize("temperature", [1e-3, 4e-3, 0.015, 0.02, 0.1, 1.0, 10.0])
def test_temperatures(summation: str, denominator: str, temperature: float) -> None:
    batch = make_batch([0, 1, 0, -1, 1], views=2)
    formula = {"temperature": temperature, "summation": summation, "denominator": denominator}
    assert_agrees(batch, sets_of(batch), formula)


@pytest.mark.parametrize("dim", [1, 2048])
@pytest.mark.parametrize("summation", ["out", "in"])
def test_narrow_and_wide_projections(dim: int, summation: str) -> None:
    batch = make_batch([0, 1, 0, 1], views=2, dim=dim)
    projections = batch.projections.detach().float().requires_grad_()
    loss = supcon_loss(projections, batch.labels, temperature=0.5, summation=summation)  # type: ignore[arg-type]
    (gradient,) = torch.autograd.grad(loss, projections)
    expected = mean(
        row_losses([unit(row) for row in batch.rows], *sets_of(batch), temperature=0.5, summation=summation)
    )
    (expected_gradient,) = torch.autograd.grad(expected, batch.projections)
    torch.testing.assert_close(loss.double(), expected, rtol=1e-5, atol=0)
    torch.testing.assert_close(gradient.double(), expected_gradient, rtol=1e-5, atol=1e-8)


@pytest.mark.parametrize("views", [2, 3, 4, 5])
def test_without_labels_positives_are_the_other_views(views: int) -> None:
    batch = make_batch([-1] * 5, views)
    formula = {"temperature": 0.2, "summation": "out", "denominator": "all"}
    assert_agrees(batch, sets_of(batch), formula, labels=None)


def test_rows_without_views_are_images_of_their_own() -> None:
    batch = make_batch(LABELS, views=1)
    flat = supcon_out_loss(batch.projections[:, 0], batch.labels)
    torch.testing.assert_close(flat, supcon_out_loss(batch.projections, batch.labels))


def test_rows_with_labels_repeated_equal_views_with_labels() -> None:
    batch = make_batch([0, 1, 0, 2], views=3)
    flat = supcon_in_loss(batch.projections.flatten(0, 1), batch.labels.repeat_interleave(3))
    torch.testing.assert_close(flat, supcon_in_loss(batch.projections, batch.labels))


def test_jaccard_weights_of_single_labels_give_the_loss_of_the_labels() -> None:
    batch = make_batch([0, 1, 0, 2, 1], views=2)
    weights = jaccard_weights(torch.nn.functional.one_hot(batch.labels), views=2)
    for summation, denominator in FORMULAS:
        formula: dict[str, Any] = {"summation": summation, "denominator": denominator}
        by_labels = supcon_loss(batch.projections, batch.labels, **formula)
        torch.testing.assert_close(supcon_loss(batch.projections, pair_weights=weights, **formula), by_labels)


def test_one_value_per_row_and_which_rows_are_anchors() -> None:
    batch = make_batch([0, 1, 0, -1], views=1)
    values, anchors = supcon_row_losses(batch.projections, batch.labels)
    assert anchors.tolist() == [True, False, True, False]
    assert values[~anchors].tolist() == [0, 0]
    expected = row_losses([unit(row) for row in batch.rows], *sets_of(batch))
    torch.testing.assert_close(values[anchors], torch.stack([value for value in expected if value is not None]))
    none = supcon_out_loss(batch.projections, batch.labels, reduction="none")
    assert torch.equal(none, values)
    torch.testing.assert_close(supcon_out_loss(batch.projections, batch.labels, reduction="sum"), values.sum())
    torch.testing.assert_close(supcon_out_loss(batch.projections, batch.labels), values.sum() / 2)


def test_values_stand_at_their_rows_whatever_the_order_of_classes() -> None:
    batch = make_batch([2, 0, 1, 0, 2, 1, 0], views=2)
    every: list[dict[str, Any]] = [{}, {"summation": "in"}, {"denominator": "negatives", "anchors": "first_view"}]
    for options in every:
        values, anchors = supcon_row_losses(batch.projections, batch.labels, **options)
        formula = {name: value for name, value in options.items() if name != "anchors"}
        expected = row_losses([unit(row) for row in batch.rows], *sets_of(batch), **formula)
        assert anchors.tolist() == [row % 2 == 0 or "anchors" not in options for row in range(14)]
        for value, is_anchor, wanted in zip(values, anchors, expected, strict=True):
            assert wanted is not None
            assert abs(value - (wanted if is_anchor else 0)) < 1e-10


@pytest.mark.parametrize(("rescale", "factor"), [("none", 1.0), ("temperature", 0.2), (0.07, 0.2 / 0.07), (1, 0.2)])
def test_rescale(rescale: Any, factor: float) -> None:
    batch = make_batch(LABELS, views=2)
    plain = supcon_out_loss(batch.projections, batch.labels, temperature=0.2)
    torch.testing.assert_close(
        supcon_out_loss(batch.projections, batch.labels, temperature=0.2, rescale=rescale), plain * factor
    )


def test_the_two_names_are_the_two_equations() -> None:
    batch = make_batch(LABELS, views=2)
    for function, summation in ((supcon_out_loss, "out"), (supcon_in_loss, "in")):
        expected = mean(row_losses([unit(row) for row in batch.rows], *sets_of(batch), summation=summation))
        torch.testing.assert_close(function(batch.projections, batch.labels), expected)


@pytest.mark.parametrize("summation", ["out", "in"])
def test_labels_too_large_for_float32_are_told_apart(summation: Any) -> None:
    projections = torch.randn(8, 5, generator=torch.Generator().manual_seed(0))
    small = torch.tensor([0, 1, 2, 3, 0, 1, 2, 3])
    expected = supcon_loss(projections, small, summation=summation)
    for large in (2**24, 2**40):
        torch.testing.assert_close(supcon_loss(projections, small + large, summation=summation), expected)


@pytest.mark.parametrize("shape", [(), (1,), (1, 1)])
@pytest.mark.parametrize("rescale", ["none", "temperature"])
@pytest.mark.parametrize("anchors", ["all", "first_view"])
def test_a_temperature_of_one_number_may_have_any_shape(shape: tuple[int, ...], rescale: Any, anchors: Any) -> None:
    projections, labels = torch.randn(8, 2, 4), torch.arange(8) % 3
    options: dict[str, Any] = {"rescale": rescale, "anchors": anchors, "reduction": "none"}
    learned = torch.full(shape, 0.2, requires_grad=True)
    found = supcon_loss(projections, labels, temperature=learned, **options)
    torch.testing.assert_close(found, supcon_loss(projections, labels, temperature=0.2, **options))
    found.sum().backward()
    assert learned.grad is not None
    assert learned.grad.shape == shape


@pytest.mark.parametrize("value", [0.0, -0.1, torch.nan, torch.inf])
def test_a_learned_temperature_must_be_above_zero(value: float) -> None:
    with pytest.raises(ValueError, match="temperature must be a number above 0, got"):
        supcon_loss(torch.randn(8, 2, 4), temperature=torch.tensor([value]))
