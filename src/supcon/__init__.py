"""Supervised contrastive learning (Khosla et al., 2020).

`supcon.train` runs the main job, `supcon.evaluate` measures what it made again, `supcon.transfer` carries it over to
other data, `supcon.load` opens it; the losses are in `supcon.losses`, which needs nothing else of the package.
Importing `supcon` does not import torch.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from supcon.measuring.evaluate import evaluate
    from supcon.pipeline import train
    from supcon.serving.model import load
    from supcon.transfer_learning.transfer import transfer

__all__ = ["__version__", "evaluate", "load", "train", "transfer"]
__version__ = "0.1.0"

_FILES = {
    "evaluate": "supcon.measuring.evaluate",
    "load": "supcon.serving.model",
    "train": "supcon.pipeline",
    "transfer": "supcon.transfer_learning.transfer",
}


def __getattr__(name: str) -> object:
    if name not in _FILES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_FILES[name]), name)
