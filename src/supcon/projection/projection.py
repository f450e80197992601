"""The projection head Proj(.): a small network on the representation, with normalized output."""

import torch.nn.functional as F
from torch import Tensor, nn

from supcon.base.shapes import Representations
from supcon.projection.config import ProjectionKind


class Projection(nn.Module):
    """One linear layer, an MLP, or identity; then batch norm without scale and shift if `centre`; then
    normalization."""

    def __init__(
        self,
        representation: int,
        width: int = 128,
        kind: ProjectionKind = "mlp",
        *,
        hidden_width: int | None = None,
        hidden_layers: int = 1,
        batch_norm: bool = False,
        centre: bool = False,
    ) -> None:
        super().__init__()
        self.width = representation if kind == "none" else width
        self.layers: nn.Module = nn.Identity()
        if kind == "linear":
            # No bias, as in the authors' code; torch's initialization instead of their N(0, 0.01), because only the
            # direction of a projection matters.
            self.layers = nn.Linear(representation, width, bias=False)
        elif kind == "mlp":
            self.layers = _mlp(representation, width, hidden_width or representation, hidden_layers, batch_norm)
        self.centre: nn.Module = nn.BatchNorm1d(self.width, affine=False) if centre else nn.Identity()

    def forward(self, representations: Representations) -> Tensor:
        return F.normalize(self.centre(self.layers(representations)), dim=1)


def _mlp(representation: int, width: int, hidden_width: int, hidden_layers: int, batch_norm: bool) -> nn.Sequential:
    """Linear layers with ReLU in between; without biases if `batch_norm`, as in the authors' SimCLR."""
    layers: list[nn.Module] = []
    before = representation
    for _ in range(hidden_layers):
        layers.append(nn.Linear(before, hidden_width, bias=not batch_norm))
        if batch_norm:
            layers.append(nn.BatchNorm1d(hidden_width))
        layers.append(nn.ReLU(inplace=True))
        before = hidden_width
    return nn.Sequential(*layers, nn.Linear(before, width, bias=not batch_norm))
