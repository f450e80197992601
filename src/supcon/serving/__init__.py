"""Loading and using a trained model."""

from typing import TYPE_CHECKING

from supcon.base.lazy_imports import lazy_imports

if TYPE_CHECKING:
    from supcon.serving.model import Model as Model
    from supcon.serving.model import ModelCard as ModelCard
    from supcon.serving.model import load as load
    from supcon.serving.model import read_card as read_card
    from supcon.serving.model import save_model as save_model
else:
    __getattr__, __dir__ = lazy_imports(__name__, __file__)
