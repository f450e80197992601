"""Supp. Table 6, top, and Supp. Fig. 2: calibration under corruptions."""

import math
from collections.abc import Mapping

from supcon.experiments.experiment import Comparison, Experiment, Setting, above
from supcon.experiments.scale import Scale
from supcon.experiments.shared_settings import BOTH, both_networks, networks, with_network

MEASURES = ("test/ece", *(f"corruptions/severity_{severity}/mean_ece" for severity in range(1, 6)))
MEAN, INCREASE = "corruptions/mean_ece", "corruptions/ece_increase"
PUBLISHED = {
    ("SupCon", "ResNet-50"): (0.024, 0.026, 0.034, 0.048, 0.071, 0.100),
    ("Cross-entropy", "ResNet-50"): (0.039, 0.033, 0.032, 0.047, 0.072, 0.098),
    ("SupCon", "ResNet-200"): (0.041, 0.047, 0.061, 0.071, 0.086, 0.103),
    ("Cross-entropy", "ResNet-200"): (0.045, 0.048, 0.036, 0.040, 0.042, 0.052),
}


def _settings(scale: Scale) -> list[Setting]:
    return [
        Setting(
            name=with_network(loss, network),
            method=method,
            recipe=recipe,
            extras=("corruptions",),
            published=dict(zip(MEASURES, PUBLISHED[loss, network], strict=True)),
        )
        for network, recipe in networks(scale).items()
        for loss, method in BOTH.items()
    ]


def _increase(measures: Mapping[str, float], scale: Scale) -> dict[str, float]:
    """How much the error at the highest severity is above that on clean images."""
    del scale
    clean, severest = (measures.get(name, math.nan) for name in (MEASURES[0], MEASURES[-1]))
    return {INCREASE: severest - clean}


def _comparisons(scale: Scale, *measures: str) -> list[Comparison]:
    return [above(*pair, measure) for pair in both_networks(scale) for measure in measures]


CALIBRATION = Experiment(
    name="calibration",
    where="Supp. Table 6, Supp. Fig. 2",
    claim="SupCon is calibrated better than cross-entropy on clean images, and does not suffer from a calibration "
    "error that increases with severity, unlike cross-entropy.",
    settings=_settings,
    comparisons=lambda scale: _comparisons(scale, MEASURES[0], INCREASE),
    besides=lambda scale: _comparisons(scale, MEASURES[-1], MEAN),
    measures=lambda scale: (*MEASURES, MEAN, INCREASE),
    derive=_increase,
    chart="severity",
    differs="15 bins; the paper does not say how many it has. That SupCon is better on clean images is read off its "
    "table. That it does not suffer from an increase is what the caption of its figure says; tested is that its "
    "error increases less. In the paper's own table the errors of both increase, and at severity 5 of ResNet-50 "
    "SupCon's is the higher one.",
)
