"""Which projection head stage 1 uses, as values."""

from dataclasses import dataclass
from typing import Literal

from supcon.base.errors import RequestError

ProjectionKind = Literal["mlp", "linear", "none"]


@dataclass(frozen=True, kw_only=True)
class ProjectionConfig:
    """Proj(.) of the paper."""

    kind: ProjectionKind = "mlp"
    """`mlp` (the paper's text: one hidden layer of 2048), `linear` (the authors' ImageNet code), or `none`, where the
    loss sees the representation itself."""

    width: int = 128
    """D_P: how wide the projection is (the paper: 128). `none` leaves the representation as wide as it is."""

    hidden_width: int | None = None
    """How wide the hidden layers of `mlp` are; none: as wide as the representation, 2048 for ResNet-50."""

    hidden_layers: int = 1
    """Hidden layers of `mlp` (the authors' SimCLR: 2)."""

    batch_norm: bool = False
    """Batch norm in the hidden layers of `mlp`, where it takes the place of their biases (the authors' SimCLR)."""

    centre: bool = False
    """Batch norm without scale and shift on what comes out, before the unit sphere (the output layer of SimCLR v1):
    negatives then start at a similarity near 0 instead of near 1."""

    def __post_init__(self) -> None:
        for name in ("width", "hidden_width", "hidden_layers"):
            value = getattr(self, name)
            if value is not None and value < 1:
                raise RequestError(f"projection.{name} must be at least 1, got {value}.")
