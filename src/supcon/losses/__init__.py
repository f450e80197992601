"""The paper's contrastive losses, exact, with memory linear in the number of rows. Needs nothing but torch.

Importing this folder does not import torch, so that recipes can name a `LossConfig` without it.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from supcon.losses.config import Denominator, LossConfig, Rescale, Summation

if TYPE_CHECKING:
    from supcon.losses.gradient_weights import PairGradientWeights, pair_gradient_weights
    from supcon.losses.large_margin import large_margin_loss
    from supcon.losses.memory_queue import MemoryQueue
    from supcon.losses.n_pairs import n_pairs_loss
    from supcon.losses.pair_weights import jaccard_weights
    from supcon.losses.reduction import RowLosses
    from supcon.losses.self_supervised import self_supervised_loss
    from supcon.losses.supcon import SupConLoss, supcon_in_loss, supcon_loss, supcon_out_loss, supcon_row_losses
    from supcon.losses.triplet import triplet_loss

__all__ = [
    "Denominator",
    "LossConfig",
    "MemoryQueue",
    "PairGradientWeights",
    "Rescale",
    "RowLosses",
    "Summation",
    "SupConLoss",
    "jaccard_weights",
    "large_margin_loss",
    "n_pairs_loss",
    "pair_gradient_weights",
    "self_supervised_loss",
    "supcon_in_loss",
    "supcon_loss",
    "supcon_out_loss",
    "supcon_row_losses",
    "triplet_loss",
]

_HOME = {
    "MemoryQueue": "memory_queue",
    "PairGradientWeights": "gradient_weights",
    "RowLosses": "reduction",
    "SupConLoss": "supcon",
    "jaccard_weights": "pair_weights",
    "large_margin_loss": "large_margin",
    "n_pairs_loss": "n_pairs",
    "pair_gradient_weights": "gradient_weights",
    "self_supervised_loss": "self_supervised",
    "supcon_in_loss": "supcon",
    "supcon_loss": "supcon",
    "supcon_out_loss": "supcon",
    "supcon_row_losses": "supcon",
    "triplet_loss": "triplet",
}


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOME[name]}"), name)


def __dir__() -> list[str]:
    return __all__
