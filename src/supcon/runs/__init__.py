"""A run's folder on disk."""

from supcon.runs.environment import describe_environment
from supcon.runs.run import Run, create_run, locked, open_complete_run, open_run, refuse_existing
from supcon.runs.write import write_file, write_json, write_text, write_yaml

__all__ = [
    "Run",
    "create_run",
    "describe_environment",
    "locked",
    "open_complete_run",
    "open_run",
    "refuse_existing",
    "write_file",
    "write_json",
    "write_text",
    "write_yaml",
]
