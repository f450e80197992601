import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torchmetrics.functional.classification import multiclass_confusion_matrix

from supcon.evaluation import confusion_matrix


@settings(max_examples=30, deadline=None)
@given(st.integers(1, 40), st.integers(2, 6), st.integers(0, 10_000))
def test_agrees_with_torchmetrics(rows: int, classes: int, seed: int) -> None:
    generator = torch.Generator().manual_seed(seed)
    logits = torch.randn(rows, classes, generator=generator)
    labels = torch.randint(classes, (rows,), generator=generator)
    expected = multiclass_confusion_matrix(logits, labels, classes).tolist()
    assert confusion_matrix(logits, labels).tolist() == expected
    assert confusion_matrix(logits.numpy(), labels.numpy()).tolist() == expected


def test_classes_that_do_not_occur_have_empty_rows() -> None:
    assert confusion_matrix(torch.eye(3)[:1], torch.tensor([0])).tolist() == [[1, 0, 0], [0, 0, 0], [0, 0, 0]]
