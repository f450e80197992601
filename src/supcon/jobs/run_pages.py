"""Builds the report and comparison pages from the files of runs."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from supcon.base.atomic_files import write_text
from supcon.base.errors import RequestError
from supcon.base.stored_arrays import read_arrays
from supcon.report import Curve, Outputs, RunResults, build_comparison, build_report, report_markdown
from supcon.runs import Run
from supcon.serving import read_card

_SHAPES = {
    "labels": ("iu", (1, 2)),
    "probabilities": ("f", (2,)),
    "coordinates": ("f", (2,)),
    "map_index": ("iu", (1,)),
    "thumbnails": ("u", (4,)),
    "thumbnail_index": ("iu", (1,)),
}
"""The arrays of `test_outputs.npz`: kinds of numbers, and how many axes."""


def read_results(run: Run) -> RunResults:
    """Reads the contents of a page from the files of a finished run."""
    card = read_card(run)
    described = ("class_names", "counts", "image_size", "channels", "mean", "std")
    parts: dict[str, Any] = {
        "recipe": run.recipe,
        "environment": run.read_json(run.environment_file),
        "measures": run.measures,
        "curves": {f"stage{number}": _curves(run, number) for number in (1, 2)},
        "outputs": _outputs(run),
        "remarks": run.remarks,
    }
    try:
        data = {"name": card.data, **{name: getattr(card, name) for name in described}}
        return RunResults(name=run.name, data=data, **parts)
    except ValueError as error:  # two of the files do not belong together
        raise RequestError(f"The files of {run.path} do not fit together ({error}); train the run again.") from error


def write_report(run: Run) -> None:
    """Writes `report.html` and `report.md`."""
    results = read_results(run)
    write_text(run.report_file, build_report(results))
    write_text(run.report_text_file, report_markdown(results))


def write_comparison(runs: Sequence[Run], out: Path) -> None:
    """Writes one page that shows all runs side by side."""
    write_text(out, build_comparison([read_results(run) for run in runs]))


def _curves(run: Run, number: int) -> dict[str, Curve]:
    return {
        name: Curve(epochs=np.array([e for e, _ in points]), values=np.array([v for _, v in points]))
        for name, points in run.curves(number).items()
    }


def _outputs(run: Run) -> Outputs:
    advice = "train the run again"
    arrays = read_arrays(run.outputs_file, (*_SHAPES, "map_method"), ("fingerprint", "names"), advice)
    try:
        _check_arrays(arrays)
        return Outputs(
            map_method=str(arrays["map_method"]),
            fingerprint=str(arrays.get("fingerprint", "")),
            names=arrays["names"].tolist() if "names" in arrays else (),
            **{name: arrays[name] for name in _SHAPES},
        )
    except ValueError as error:
        raise RequestError(f"{run.outputs_file} is damaged ({error}); {advice}.") from error


def _check_arrays(arrays: Mapping[str, NDArray[Any]]) -> None:
    for name, (kinds, axes) in _SHAPES.items():
        array = arrays[name]
        if array.dtype.kind not in kinds or array.ndim not in axes:
            raise ValueError(f"{name} has the type {array.dtype} and the shape {array.shape}")
