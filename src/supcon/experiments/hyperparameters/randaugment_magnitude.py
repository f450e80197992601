"""Supp. Fig. 3: accuracy by RandAugment's magnitude."""

from supcon.experiments.experiment import Experiment, Setting, above
from supcon.experiments.scale import Scale
from supcon.experiments.shared_settings import BOTH, both_networks, networks, views_of, with_network


def _magnitudes(scale: Scale) -> tuple[int, ...]:
    return (2, 10) if scale.name == "smoke" else (2, 4, 6, 8, 10)


def _name(row: str, magnitude: int) -> str:
    return f"{row}, magnitude {magnitude}"


def _settings(scale: Scale) -> list[Setting]:
    return [
        Setting(
            name=_name(with_network(loss, network), magnitude),
            method=method,
            recipe=recipe,
            changes={**views_of(scale, "RandAugment", 1), "views.rand_augment_magnitude": float(magnitude)},
            line=with_network(loss, network),
            at=magnitude,
        )
        for network, recipe in networks(scale).items()
        for loss, method in BOTH.items()
        for magnitude in _magnitudes(scale)
    ]


RANDAUGMENT_MAGNITUDE = Experiment(
    name="randaugment-magnitude",
    where="Supp. Fig. 3",
    claim="SupCon is consistently above cross-entropy whatever the magnitude of RandAugment.",
    settings=_settings,
    comparisons=lambda scale: [
        above(*(_name(row, magnitude) for row in pair))
        for pair in both_networks(scale)
        for magnitude in _magnitudes(scale)
    ],
    chart="lines",
    axis="magnitude of RandAugment",
    differs="Stage 2 keeps the recipe's own views. The paper shows the figure and prints no values.",
)
