"""The cross-entropy run that a page shows beside its own run."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np

from supcon.base.errors import RequestError
from supcon.report import differences, setting
from supcon.runs import Run

BASELINE = "cross-entropy"


def find_baseline_run(run: Run) -> Run | None:
    """A finished cross-entropy run in the same folder, tested on the same images; of several, that with most settings
    in common. None if there is none, or if `run` is one itself."""
    recipe = run.recipe
    if recipe.get("method") == BASELINE:
        return None
    found = [
        (len(differences([recipe, other.recipe])), other.recipe.get("seed") != recipe.get("seed"), other.name, other)
        for other in _cross_entropy_runs(run.path.resolve().parent)
        if setting(other.recipe, "data.spec") == setting(recipe, "data.spec") and _fingerprint(other)
    ]
    same = [
        entry for entry in sorted(found, key=lambda entry: entry[:3]) if _fingerprint(entry[3]) == _fingerprint(run)
    ]
    return same[0][3] if same else None


def _cross_entropy_runs(folder: Path) -> Iterator[Run]:
    for path in sorted(folder.iterdir()):
        other = Run(path)
        # Reading the text first is fast enough for a folder of hundreds of runs; parsing all of them is not.
        if other.complete and other.recipe_file.exists():
            text = other.recipe_file.read_text(encoding="utf-8")
            if f"\nmethod: {BASELINE}\n" in f"\n{text}" and other.outputs_file.exists():
                yield other


def _fingerprint(run: Run) -> str:
    """The hash of the test images; empty where it is not known."""
    try:
        with np.load(run.outputs_file, allow_pickle=False) as arrays:
            return str(arrays["fingerprint"]) if "fingerprint" in arrays else ""
    except (OSError, ValueError) as error:
        raise RequestError(f"{run.outputs_file} cannot be read ({error}); train the run again.") from error
