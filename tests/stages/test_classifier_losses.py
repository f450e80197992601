"""The losses of a classifier that is trained with the encoder, against torch's own."""

import pytest
import torch
import torch.nn.functional as F
from torch import nn

from supcon.losses import large_margin_loss
from supcon.stages.classifier_losses import LargeMargin, Softmax

ROWS, CLASSIFIER = torch.randn(6, 4), nn.Linear(4, 3)


@pytest.mark.parametrize("smoothing", [0.0, 0.1])
def test_softmax_takes_classes_probabilities_or_several_labels(smoothing: float) -> None:
    loss, logits = Softmax(smoothing), CLASSIFIER(ROWS)
    classes = torch.tensor([0, 1, 2, 0, 1, 2])
    expected = F.cross_entropy(logits, classes, label_smoothing=smoothing)
    torch.testing.assert_close(loss(ROWS, CLASSIFIER, classes, 0.5), expected)
    mixed = torch.rand(6, 3).softmax(1)
    expected = F.cross_entropy(logits, mixed, label_smoothing=smoothing)
    torch.testing.assert_close(loss(ROWS, CLASSIFIER, mixed, 0.5), expected)


def test_integer_targets_for_every_class_are_several_labels() -> None:
    several = torch.randint(0, 2, (6, 3))
    expected = F.binary_cross_entropy_with_logits(CLASSIFIER(ROWS), several.float(), reduction="none").sum(1).mean()
    torch.testing.assert_close(Softmax()(ROWS, CLASSIFIER, several, 0.0), expected)


def test_the_margin_grows_with_the_progress_of_training() -> None:
    classes = torch.tensor([0, 1, 2, 0, 1, 2])
    begin, end = (LargeMargin(4)(ROWS, CLASSIFIER, classes, progress).item() for progress in (0.0, 1.0))
    plain = large_margin_loss(ROWS, CLASSIFIER.weight, classes, margin=1, plain=0.0).item()
    assert begin == pytest.approx(plain, rel=1e-2)
    assert end > begin
    weights = [LargeMargin.plain(step / 10) for step in range(11)]
    assert weights == sorted(weights, reverse=True)
