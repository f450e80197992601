"""From pairs to one loss per anchor: small batches as a dense matrix, larger ones in tiles."""

from typing import Any

from torch import Tensor

from supcon.losses.config import Denominator, Summation
from supcon.losses.engine import dense, tiled
from supcon.losses.engine.pair_sets import Pairs

FEW_PAIRS = 2**20
"""Up to this many pairs (1,024 x 1,024 rows) the matrix is computed as a whole."""


def anchor_losses(pairs: Pairs, summation: Summation, denominator: Denominator) -> tuple[Tensor, Tensor]:
    """Eq. 1, 2 or 3 for every anchor.

    Returns:
        [anchor] the loss, 0 if the row has no positive; and [anchor] True if it has one.
    """
    return _implementation(pairs).anchor_losses(pairs, summation, denominator)  # type: ignore[no-any-return]


def log_sum_over_others(pairs: Pairs) -> Tensor:
    """[anchor]: log of the sum of exp(s_ia) over A(i)."""
    return _implementation(pairs).log_sum_over_others(pairs)  # type: ignore[no-any-return]


def _implementation(pairs: Pairs) -> Any:
    # Depends on shapes only, so that torch.compile needs no graph break.
    return dense if pairs.count <= FEW_PAIRS else tiled
