from collections.abc import Callable
from typing import Any

import pytest
import torch
import torch.nn.functional as F
from torch import Tensor

from supcon.stages.joint_classifier import JointClassifier


def parts(make_parts: Callable[..., Any]) -> tuple[Any, Tensor, Tensor]:
    encoder, _, classifier = make_parts(0)
    images = torch.randint(0, 200, (6, 1, 8, 8), generator=torch.Generator().manual_seed(1)).to(torch.uint8)
    return classifier, encoder(images), torch.arange(6) % 3


def test_no_gradient_reaches_the_representation(make_parts: Callable[..., Any]) -> None:
    classifier, representations, labels = parts(make_parts)
    representations.retain_grad()
    loss, _ = JointClassifier(classifier)(representations, labels)
    loss.backward()
    assert representations.grad is None
    assert classifier.weight.grad.abs().sum() > 0


@pytest.mark.parametrize("weight", [0.25, 1.0, 3.0])
def test_a_weight_lets_that_share_of_the_gradient_through(make_parts: Callable[..., Any], weight: float) -> None:
    classifier, representations, labels = parts(make_parts)
    whole = F.cross_entropy(classifier(representations), labels)
    expected = torch.autograd.grad(whole, [representations, classifier.weight], retain_graph=True)
    loss, _ = JointClassifier(classifier, encoder_weight=weight)(representations, labels)
    found = torch.autograd.grad(loss, [representations, classifier.weight])
    torch.testing.assert_close(loss, whole)
    assert torch.allclose(found[0], weight * expected[0], rtol=1e-5)
    assert torch.allclose(found[1], expected[1], rtol=1e-5)


def test_unlabelled_rows_do_not_count(make_parts: Callable[..., Any]) -> None:
    classifier, representations, labels = parts(make_parts)
    labels[[1, 4]] = -1
    known = labels >= 0
    loss, top1 = JointClassifier(classifier, label_smoothing=0.1)(representations, labels)
    logits = classifier(representations[known])
    assert torch.allclose(loss, F.cross_entropy(logits, labels[known], label_smoothing=0.1))
    assert torch.allclose(top1, (logits.argmax(1) == labels[known]).float().mean())


def test_a_batch_without_labels_has_no_loss_and_a_graph(make_parts: Callable[..., Any]) -> None:
    classifier, representations, labels = parts(make_parts)
    loss, top1 = JointClassifier(classifier)(representations, torch.full_like(labels, -1))
    loss.backward()
    assert (loss.item(), top1.item()) == (0, 0)
    assert (classifier.weight.grad == 0).all()
