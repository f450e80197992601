"""Supervised contrastive learning (Khosla et al., 2020).

`supcon.train` trains, evaluates and writes a report, `supcon.evaluate` evaluates a finished run again,
`supcon.transfer` transfers its encoder to other data, `supcon.load` loads its model. The losses are in
`supcon.losses`, which needs nothing else of the package; `supcon.SupConLoss` is the one of them that most people look
for. Importing `supcon` does not import torch.
"""

from typing import TYPE_CHECKING

from supcon.base.lazy_imports import lazy_imports

__version__ = "0.1.0"

if TYPE_CHECKING:
    from supcon.jobs import SupConClassifier as SupConClassifier
    from supcon.jobs import audit as audit
    from supcon.jobs import embed as embed
    from supcon.jobs import evaluate as evaluate
    from supcon.jobs import export as export
    from supcon.jobs import push as push
    from supcon.jobs import search as search
    from supcon.jobs import train as train
    from supcon.jobs import transfer as transfer
    from supcon.losses import SupConLoss as SupConLoss
    from supcon.serving import load as load
else:
    __getattr__, __dir__ = lazy_imports(__name__, __file__)
