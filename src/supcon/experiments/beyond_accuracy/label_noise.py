"""Sec. 1: wrong labels, which the paper names as a shortcoming of cross-entropy."""

from supcon.experiments.experiment import Experiment, Setting, above
from supcon.experiments.scale import Scale
from supcon.experiments.shared_settings import BOTH


def _shares(scale: Scale) -> tuple[float, ...]:
    return (0.0, 0.4) if scale.name == "smoke" else (0.0, 0.2, 0.4, 0.6)


def _name(loss: str, share: float) -> str:
    return f"{loss}, {100 * share:g} % wrong"


def _settings(scale: Scale) -> list[Setting]:
    return [
        Setting(
            name=_name(loss, share),
            method=method,
            changes={"data.label_noise": share},
            line=loss,
            at=round(100 * share),
        )
        for loss, method in BOTH.items()
        for share in _shares(scale)
    ]


LABEL_NOISE = Experiment(
    name="label-noise",
    where="Sec. 1",
    claim="Cross-entropy lacks robustness to noisy labels, so SupCon should be above it where labels are wrong (our "
    "reading: the paper names the shortcoming and measures nothing).",
    settings=_settings,
    comparisons=lambda scale: [above(*(_name(loss, share) for loss in BOTH)) for share in _shares(scale) if share],
    chart="lines",
    axis="share of wrong training labels, %",
    differs="A wrong label is another class, drawn evenly; validation and test labels are right.",
)
