"""Which projection head stage 1 uses, as values."""

from dataclasses import dataclass
from typing import Literal

from supcon.errors import RequestError


@dataclass(frozen=True, kw_only=True)
class ProjectionConfig:
    """Proj(.) of the paper."""

    kind: Literal["mlp", "linear"] = "mlp"
    """`mlp` has one hidden layer as wide as the representation (the paper's 2048 for ResNet-50); `linear` has none."""

    width: int = 128
    """D_P: how wide the projection is."""

    def __post_init__(self) -> None:
        if self.width < 1:
            raise RequestError(f"projection.width must be at least 1, got {self.width}.")
