"""Settings of the projection head."""

from dataclasses import dataclass
from typing import Literal

from supcon.base.errors import RequestError

ProjectionKind = Literal["mlp", "linear", "none"]


@dataclass(frozen=True, kw_only=True)
class ProjectionConfig:
    """The projection head, Proj(.) in the paper."""

    kind: ProjectionKind = "mlp"
    """`mlp` (the paper's text: one hidden layer of 2048), `linear` (the authors' ImageNet code), or `none`: the
    loss is computed on the representation itself."""

    width: int = 128
    """D_P, the width of the projection (the paper: 128); not used by `none`."""

    hidden_width: int | None = None
    """Width of the hidden layers of `mlp`; none: that of the representation, 2048 for ResNet-50."""

    hidden_layers: int = 1
    """Number of hidden layers of `mlp` (the authors' SimCLR: 2)."""

    batch_norm: bool = False
    """Batch norm in the hidden layers of `mlp`, instead of biases (the authors' SimCLR)."""

    centre: bool = False
    """Batch norm without scale and shift on the output, before normalization (the output layer of SimCLR v1): the
    similarity of negatives then starts near 0 instead of near 1."""

    def __post_init__(self) -> None:
        for name in ("width", "hidden_width", "hidden_layers"):
            value = getattr(self, name)
            if value is not None and value < 1:
                raise RequestError(f"projection.{name} must be at least 1, got {value}.")
