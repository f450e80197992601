"""Models that contain the loss can be compiled, and warnings and errors come through."""

from typing import Any

import pytest
import torch
from torch import Tensor, nn

from supcon.losses import SupConLoss, n_pairs_loss, triplet_loss


class Model(nn.Module):
    """A projection and its loss."""

    def __init__(self, **options: Any) -> None:
        super().__init__()
        self.projection = nn.Linear(6, 4)
        self.loss = SupConLoss(**options)

    def forward(self, images: Tensor, labels: Tensor) -> Tensor:
        projections: Tensor = self.projection(images)
        loss: Tensor = self.loss(projections * 2, labels)
        return loss + 1


@pytest.mark.filterwarnings("ignore:The .grad attribute of a Tensor that is not a leaf")  # the compiler looks at it
@pytest.mark.parametrize("options", [{}, {"summation": "in", "denominator": "one_positive", "anchors": "first_view"}])
def test_a_compiled_model_gives_the_same_loss_and_gradients(options: dict[str, Any]) -> None:
    torch.manual_seed(0)
    model = Model(**options)
    compiled = torch.compile(model, backend="aot_eager")
    for batch in (5, 7):
        images, labels = torch.randn(batch, 2, 6), torch.arange(batch) % 3
        expected = model(images, labels)
        expected_gradients = torch.autograd.grad(expected, list(model.parameters()))
        loss = compiled(images, labels)
        torch.testing.assert_close(loss, expected)
        torch.testing.assert_close(torch.autograd.grad(loss, list(model.parameters())), expected_gradients)


@pytest.mark.parametrize("function", [n_pairs_loss, triplet_loss])
def test_compiled_special_cases(function: Any) -> None:
    projections, labels = torch.randn(6, 2, 4), torch.arange(6) % 2
    compiled = torch.compile(lambda rows: function(rows * 2, labels, generator=None), backend="aot_eager")
    torch.manual_seed(1)
    expected = function(projections * 2, labels)
    torch.manual_seed(1)
    torch.testing.assert_close(compiled(projections), expected)


def test_a_compiled_model_still_refuses_wrong_labels() -> None:
    compiled = torch.compile(Model(), backend="aot_eager")
    with pytest.raises(ValueError, match=r"labels must have shape \[5\]"):
        compiled(torch.randn(5, 2, 6), torch.arange(4))
