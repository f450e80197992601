"""From pairs to one loss per anchor: small batches as a dense matrix, larger ones in tiles."""

from typing import Any

from torch import Tensor

from supcon.losses.config import Denominator, Summation
from supcon.losses.engine import dense, tiled
from supcon.losses.engine.pair_sets import Pairs

FEW_PAIRS = 2**20
"""Up to this many pairs of anchor and column the matrix is computed as a whole; 1,024 rows against themselves."""


def anchor_losses(pairs: Pairs, summation: Summation, denominator: Denominator) -> tuple[Tensor, Tensor]:
    """Eq. 1, 2 or 3 for every anchor.

    Returns:
        [anchor] the loss, 0 where the row is not an anchor; and [anchor] True where it is one.
    """
    return _way(pairs).anchor_losses(pairs, summation, denominator)  # type: ignore[no-any-return]


def log_sum_over_others(pairs: Pairs) -> Tensor:
    """[anchor]: log of the sum of exp(s_ia) over A(i)."""
    return _way(pairs).log_sum_over_others(pairs)  # type: ignore[no-any-return]


def _way(pairs: Pairs) -> Any:
    # Shapes alone decide, so that a compiler can follow.
    return dense if pairs.count <= FEW_PAIRS else tiled
