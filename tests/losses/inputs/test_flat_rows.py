"""Rows from what a caller passes: shapes, labels, and what is refused."""

from typing import Any

import pytest
import torch

from supcon.losses import SupConLoss, supcon_out_loss
from supcon.losses.inputs.flat_rows import flatten


def test_negative_labels_are_refused_without_waiting_in_a_compiled_graph() -> None:
    compiled = torch.compile(supcon_out_loss, backend="aot_eager")
    with pytest.raises(RuntimeError, match="labels must be classes from 0 up, or -1 for unlabelled"):
        compiled(torch.randn(4, 2, 3), torch.tensor([0, 1, -2, 0]))


def test_non_contiguous_projections() -> None:
    projections = torch.randn(5, 3, 8, dtype=torch.float64)
    strided = projections.permute(2, 0, 1).contiguous().permute(1, 2, 0)
    assert not strided.is_contiguous()
    labels = torch.tensor([0, 0, 1, 1, 2, 2, 3, 3, 4, 4])[::2]
    torch.testing.assert_close(supcon_out_loss(strided, labels), supcon_out_loss(projections, labels))


def test_every_integer_dtype_of_labels() -> None:
    projections = torch.randn(4, 2, 3)
    expected = supcon_out_loss(projections, torch.tensor([0, 1, 1, 0]))
    for dtype in (torch.int8, torch.uint8, torch.int16, torch.int32):
        assert supcon_out_loss(projections, torch.tensor([0, 1, 1, 0], dtype=dtype)) == expected


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
        (torch.ones(4, 2, 3), [0, 1, 2, 3], r"a tensor of whole numbers, got list; give torch\.tensor\(labels\)"),
        (torch.ones(4, 2, 3), torch.arange(4.0), r"whole numbers, got torch\.float32; give labels\.long\(\)"),
        (torch.ones(4, 2, 3), torch.ones(4) > 0, r"whole numbers, got torch\.bool; give labels\.long\(\)"),
        (torch.ones(4, 2, 3), torch.arange(8), r"shape \[4\], .* got \[8\]; give one label for each image, not for"),
        (torch.ones(4, 2, 3), torch.ones(4, 1).long(), r"got \[4, 1\]; give labels\.flatten\(\)\."),
        (
            torch.ones(4, 2, 3),
            torch.eye(5)[:4],
            r"got \[4, 5\]; give labels\.argmax\(1\) if .* or pair_weights=jaccard",
        ),
        (torch.ones(4, 3), torch.arange(2), r"got \[2\]; give labels\.repeat\(2\) if .* of shape \[batch, view, dim\]"),
        (torch.ones(2, 4, 3), torch.arange(4), r"got \[4\]; give projections\.transpose\(0, 1\) if"),
        (torch.ones(4, 3), torch.arange(3), r"labels must have shape \[4\], .* got \[3\]; give one for each row"),
        (torch.ones(4, 3), torch.tensor([0, -1, -2, 3]), "labels must be classes from 0 up, or -1 .*, got -2"),
    ],
)
def test_wrong_input_is_refused(projections: Any, labels: Any, sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        SupConLoss()(projections, labels)


def test_labels_may_live_on_another_device_or_in_another_layout() -> None:
    projections, labels = torch.randn(4, 2, 3), torch.tensor([0, 9, 1, 9, 0, 9, 1, 9])
    assert SupConLoss()(projections, labels[::2]) == SupConLoss()(projections, labels[::2].clone())


def test_views_of_an_image_lie_side_by_side() -> None:
    projections = torch.randn(2, 3, 4)
    flat = flatten(projections, torch.tensor([7, -1]))
    assert torch.equal(flat.projections, projections.reshape(6, 4))
    assert flat.label.tolist() == [7, 7, 7, -1, -1, -1]
    assert flat.images().tolist() == [0, 0, 0, 1, 1, 1]
    assert flat.classes().tolist() == [7, 7, 7, -2, -2, -2]
    assert flat.classes(first_image=10).tolist() == [7, 7, 7, -12, -12, -12]
    assert not flat.all_labelled
    assert flatten(projections, torch.tensor([7, 0])).all_labelled
    assert flatten(projections, None).label.tolist() == [-1] * 6
