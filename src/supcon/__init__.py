"""Supervised contrastive learning (Khosla et al., 2020).

`supcon.train` runs the main job, `supcon.evaluate` measures what it made again, `supcon.transfer` carries it over to
other data, `supcon.load` opens it; the losses are in `supcon.losses`, which needs nothing else of the package.
Importing `supcon` does not import torch.
"""

from typing import TYPE_CHECKING

from supcon.base.lazy_imports import lazy_imports

__version__ = "0.1.0"

if TYPE_CHECKING:
    from supcon.jobs import evaluate as evaluate
    from supcon.jobs import train as train
    from supcon.jobs import transfer as transfer
    from supcon.serving import load as load
else:
    __getattr__, __dir__ = lazy_imports(__name__, __file__)
