"""Sec. 4.2 and Fig. 4's caption: fewer training images."""

from supcon.experiments.experiment import Comparison, Experiment, Setting, above
from supcon.experiments.scale import Scale
from supcon.experiments.shared_settings import BOTH
from supcon.recipes import Method


def _shares(scale: Scale) -> tuple[float, ...]:
    return (0.5, 1.0) if scale.name == "smoke" else (0.1, 0.25, 0.5, 1.0)


def _name(loss: str, share: float) -> str:
    return f"{loss}, {100 * share:g} % of the images"


def _changes(scale: Scale, method: Method, share: float) -> dict[str, object]:
    base = scale.base(method)
    epochs = round(base.stage1.epochs / share)  # the same number of steps
    if share == 1:
        return {}
    if base.data.per_class is not None:
        return {"data.per_class": round(share * base.data.per_class), "stage1.epochs": epochs}
    return {"data.fraction": share, "stage1.epochs": epochs}


def _settings(scale: Scale) -> list[Setting]:
    return [
        Setting(
            name=_name(loss, share),
            method=method,
            changes=_changes(scale, method, share),
            line=loss,
            at=round(100 * share),
        )
        for loss, method in BOTH.items()
        for share in _shares(scale)
    ]


def _comparisons(scale: Scale) -> list[Comparison]:
    """Without all images, which is what `datasets` compares."""
    return [above(*(_name(loss, share) for loss in BOTH)) for share in _shares(scale) if share < 1]


REDUCED_DATA = Experiment(
    name="reduced-data",
    where="Sec. 4.2, Fig. 4",
    claim="SupCon stays above cross-entropy with less training data (our reading: the paper names the measurement "
    "and prints no figure of it).",
    settings=_settings,
    comparisons=_comparisons,
    chart="lines",
    axis="share of the training images, %",
    differs="Stage 1 has the same number of steps for any number of images; stage 2 has the same number of epochs.",
)
