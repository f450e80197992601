"""A run's folder on disk: layout, lock, environment."""

from typing import TYPE_CHECKING

from supcon.base.lazy_imports import lazy_imports

if TYPE_CHECKING:
    from supcon.runs.environment import describe_environment as describe_environment
    from supcon.runs.model_source import model_path as model_path
    from supcon.runs.run import Run as Run
    from supcon.runs.run import create_run as create_run
    from supcon.runs.run import locked as locked
    from supcon.runs.run import open_complete_run as open_complete_run
    from supcon.runs.run import open_run as open_run
    from supcon.runs.run import refuse_existing as refuse_existing
else:
    __getattr__, __dir__ = lazy_imports(__name__, __file__)
