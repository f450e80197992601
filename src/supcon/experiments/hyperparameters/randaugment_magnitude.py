"""Supp. Fig. 3: accuracy by RandAugment's magnitude."""

from supcon.experiments.experiment import Experiment, Setting, above
from supcon.experiments.scale import Scale
from supcon.experiments.shared_settings import BOTH, views_of


def _magnitudes(scale: Scale) -> tuple[int, ...]:
    return (2, 10) if scale.name == "smoke" else (2, 4, 6, 8, 10)


def _name(loss: str, magnitude: int) -> str:
    return f"{loss}, magnitude {magnitude}"


def _settings(scale: Scale) -> list[Setting]:
    return [
        Setting(
            name=_name(loss, magnitude),
            method=method,
            changes={**views_of(scale, "RandAugment", 1), "views.rand_augment_magnitude": float(magnitude)},
            line=loss,
            at=magnitude,
        )
        for loss, method in BOTH.items()
        for magnitude in _magnitudes(scale)
    ]


RANDAUGMENT_MAGNITUDE = Experiment(
    name="randaugment-magnitude",
    where="Supp. Fig. 3",
    claim="SupCon is consistently above cross-entropy whatever the magnitude of RandAugment.",
    settings=_settings,
    comparisons=lambda scale: [above(*(_name(loss, strength) for loss in BOTH)) for strength in _magnitudes(scale)],
    chart="lines",
    axis="magnitude of RandAugment",
    differs="Stage 2 keeps the recipe's own views. The paper shows the figure and prints no values.",
)
