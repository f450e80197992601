"""Proj(.): a small network on top of the representation, on the unit sphere, thrown away after stage 1."""

from typing import Literal

import torch.nn.functional as F
from torch import Tensor, nn

from supcon.shapes import Representations


class Projection(nn.Module):
    """One linear layer, or an MLP with one hidden layer, and the norm taken off."""

    def __init__(self, representation: int, width: int = 128, kind: Literal["mlp", "linear"] = "mlp") -> None:
        super().__init__()
        self.width = width
        if kind == "linear":
            # No bias, as the authors have it; torch's initial weights instead of their N(0, 0.01), because only the
            # direction of a projection counts.
            self.layers: nn.Module = nn.Linear(representation, width, bias=False)
        else:
            self.layers = nn.Sequential(
                nn.Linear(representation, representation), nn.ReLU(inplace=True), nn.Linear(representation, width)
            )

    def forward(self, representations: Representations) -> Tensor:
        return F.normalize(self.layers(representations), dim=1)
