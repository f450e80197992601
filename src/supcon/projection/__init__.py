"""The projection head, Proj(·) in the paper, which is discarded after stage 1."""

from typing import TYPE_CHECKING

from supcon.base.lazy_imports import lazy_imports

if TYPE_CHECKING:
    from supcon.projection.config import ProjectionConfig as ProjectionConfig
    from supcon.projection.projection import Projection as Projection
else:
    __getattr__, __dir__ = lazy_imports(__name__, __file__)
