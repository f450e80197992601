"""Adds metrics to a run's `evaluation.json`, atomically."""

from collections.abc import Mapping, Sequence

from supcon.base.atomic_files import write_json
from supcon.runs import Run, locked


def add_measures(
    run: Run, families: Sequence[str], measures: Mapping[str, float], remarks: Mapping[str, str] | None = None
) -> None:
    """Replaces the metrics of some families (`corruptions`, `transfer/dtd`) and keeps all others.

    The file is read and written under the run's lock, so that concurrent commands do not lose each other's metrics.
    """
    with locked(run):
        old = run.read_json(run.evaluation_file)
        kept = {
            name: value for name, value in old.items() if not any(name.startswith(f"{family}/") for family in families)
        }
        write_json(run.evaluation_file, {**kept, **measures, **(remarks or {})})
