"""Builds the report and comparison pages from the files of runs."""

import csv
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from supcon.base.atomic_files import write_text
from supcon.base.errors import RequestError
from supcon.base.stored_arrays import read_arrays
from supcon.jobs.baseline_run import baseline_runs, say_left_out
from supcon.report import (
    AuditedLabel,
    CorruptedSamples,
    Curve,
    Outputs,
    Pairs,
    PairShares,
    RunResults,
    Suspects,
    TrainingImages,
    TrainingState,
    TrainingViews,
    build_comparison,
    build_report,
    build_training_page,
    report_markdown,
)
from supcon.runs import Run
from supcon.serving import read_card

if TYPE_CHECKING:
    from supcon.data import ImageData

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
    outputs, training = _outputs(run)
    described = ("class_names", "counts", "image_size", "channels", "mean", "std")
    parts: dict[str, Any] = {
        "recipe": run.recipe,
        "environment": run.read_json(run.environment_file),
        "data": {"name": card.data, **{name: getattr(card, name) for name in described}},
        "measures": run.measures,
        "curves": {f"stage{number}": _curves(run, number) for number in (1, 2)},
        "views": _views(run),
        "pairs": _pairs(run),
        "samples": _samples(run),
        "audited": _audited(run),
        "remarks": run.remarks,
    }
    try:
        return RunResults(name=run.name, path=str(run.path.resolve()), outputs=outputs, training=training, **parts)
    except ValueError as error:  # two of the files do not belong together
        raise RequestError(f"The files of {run.path} do not fit together ({error}); train the run again.") from error


def write_report(run: Run, baseline: Run | None = None) -> None:
    """Writes `report.html` and `report.md`; without a `baseline`, a cross-entropy run beside this one is used."""
    shown = _baseline_beside(run) if baseline is None else read_results(baseline)
    results = replace(read_results(run), baseline=shown)
    write_text(run.report_file, build_report(results))
    write_text(run.report_text_file, report_markdown(results))


def _baseline_beside(run: Run) -> RunResults | None:
    """The results of the most similar cross-entropy run beside `run` whose files can be read."""
    for other in baseline_runs(run):
        try:
            return read_results(other)
        except RequestError as error:
            say_left_out(other, error)
    return None


def write_training_page(run: Run, data: "ImageData", state: TrainingState) -> None:
    """Writes `report.html` of a run that still trains."""
    results = RunResults(
        name=run.name,
        recipe=run.recipe,
        environment=run.read_json(run.environment_file),
        data={"name": data.name, "class_names": data.class_names, "counts": data.counts},
        measures={},
        curves={f"stage{number}": _curves(run, number) for number in (1, 2)},
        outputs=Outputs.none(len(data.class_names)),
        views=_views(run),
        pairs=_pairs(run),
        path=str(run.path.resolve()),
    )
    write_text(run.report_file, build_training_page(results, state))


def write_comparison(runs: Sequence[Run], out: Path) -> None:
    """Writes one page that shows all runs side by side."""
    write_text(out, build_comparison([read_results(run) for run in runs]))


def _curves(run: Run, number: int) -> dict[str, Curve]:
    return {
        name: Curve(epochs=np.array([e for e, _ in points]), values=np.array([v for _, v in points]))
        for name, points in run.curves(number).items()
    }


def _outputs(run: Run) -> tuple[Outputs, TrainingImages | None]:
    advice = "train the run again"
    arrays = read_arrays(run.outputs_file, (*_SHAPES, "map_method"), advice)
    try:
        _check_arrays(arrays)
        outputs = Outputs(
            map_method=str(arrays["map_method"]),
            fingerprint=str(arrays.get("fingerprint", "")),
            names=arrays["names"].tolist() if "names" in arrays else (),
            **{name: arrays[name] for name in _SHAPES},
        )
        return outputs, _training_images(arrays) if "nearest" in arrays else None
    except (ValueError, KeyError) as error:
        raise RequestError(f"{run.outputs_file} is damaged ({error}); {advice}.") from error


def _check_arrays(arrays: Mapping[str, NDArray[Any]]) -> None:
    for name, (kinds, axes) in _SHAPES.items():
        array = arrays[name]
        if array.dtype.kind not in kinds or array.ndim not in axes:
            raise ValueError(f"{name} has the type {array.dtype} and the shape {array.shape}")


def _training_images(arrays: Mapping[str, np.ndarray]) -> TrainingImages:
    return TrainingImages(
        labels=arrays["train_labels"],
        names=arrays["train_names"].tolist(),
        thumbnails=arrays["train_thumbnails"],
        nearest=arrays["nearest"],
        similarity=arrays["similarity"],
        suspects=Suspects(
            images=arrays["suspects"],
            nearest=arrays["suspect_nearest"],
            voted=arrays["suspect_class"],
            share=arrays["suspect_share"],
            own_share=arrays["suspect_own_share"],
        ),
    )


def _audited(run: Run, most: int = 24) -> list[AuditedLabel]:
    """The training images with the most suspicious labels by `supcon audit`, if it has been run."""
    path = run.path / "audit" / "labels.csv"
    if not path.exists():
        return []
    with path.open(encoding="utf-8", newline="") as file:
        rows = [row for row in csv.DictReader(file) if row["split"] == "train" and row["suggested"] != row["label"]]
    return [
        AuditedLabel(
            name=row["path"],
            label=row["label"],
            suggested=row["suggested"],
            probability=float(row["suggested_probability"]),
        )
        for row in rows[:most]
    ]


def _views(run: Run) -> TrainingViews | None:
    arrays = _arrays(run.stage(1) / "views.npz")
    return TrainingViews(**arrays) if arrays else None


def _pairs(run: Run) -> dict[str, PairShares]:
    """The pairs of the start and the end of stage 1, as far as they were recorded."""
    found = {}
    for moment in ("start", "end"):
        arrays = _arrays(run.stage(1) / f"pairs_{moment}.npz")
        if arrays:
            kinds = {kind: _pairs_of(arrays, kind) for kind in ("positives", "negatives")}
            found[moment] = PairShares(**kinds)
    return found


def _samples(run: Run) -> CorruptedSamples | None:
    arrays = _arrays(run.samples_file)
    if not arrays:
        return None
    names, severities = arrays["names"].tolist(), arrays["severities"].tolist()
    return CorruptedSamples(names=names, severities=severities, pictures=arrays["pictures"])


def _pairs_of(arrays: Mapping[str, np.ndarray], kind: str) -> Pairs:
    names = ("pictures", "labels", "similarity", "times_mean", "fifths")
    return Pairs(names=arrays[f"{kind}_names"].tolist(), **{name: arrays[f"{kind}_{name}"] for name in names})


def _arrays(path: Path) -> dict[str, np.ndarray]:
    """The arrays of a file that not every run has; empty if it does not exist."""
    if not path.exists():
        return {}
    return read_arrays(path, (), "delete it and run `supcon report` again")
