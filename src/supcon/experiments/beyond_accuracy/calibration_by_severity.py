"""Supp. Table 6, top, and Supp. Fig. 2: calibration under corruptions."""

from supcon.experiments.experiment import Experiment, Setting, above
from supcon.experiments.results import INCREASE
from supcon.experiments.scale import Scale
from supcon.experiments.shared_settings import BOTH

MEASURES = ("test/ece", *(f"corruptions/severity_{severity}/mean_ece" for severity in range(1, 6)))
MEAN = "corruptions/mean_ece"
PUBLISHED = {
    ("SupCon", "ResNet-50"): (0.024, 0.026, 0.034, 0.048, 0.071, 0.100),
    ("Cross-entropy", "ResNet-50"): (0.039, 0.033, 0.032, 0.047, 0.072, 0.098),
    ("SupCon", "ResNet-200"): (0.041, 0.047, 0.061, 0.071, 0.086, 0.103),
    ("Cross-entropy", "ResNet-200"): (0.045, 0.048, 0.036, 0.040, 0.042, 0.052),
}


def _settings(scale: Scale) -> list[Setting]:
    networks = ("ResNet-50", "ResNet-200") if scale.is_paper else ("ResNet-50",)
    return [
        Setting(
            name=loss if network == "ResNet-50" else f"{loss}, {network}",
            method=method,
            recipe="imagenet-resnet200" if network == "ResNet-200" else None,
            extras=("corruptions",),
            published=dict(zip(MEASURES, PUBLISHED[loss, network], strict=True)),
        )
        for network in networks
        for loss, method in BOTH.items()
    ]


CALIBRATION = Experiment(
    name="calibration",
    where="Supp. Table 6, Supp. Fig. 2",
    claim="SupCon is calibrated better than cross-entropy on clean images, and does not suffer from a calibration "
    "error that increases with severity, unlike cross-entropy.",
    settings=_settings,
    comparisons=lambda scale: [above("SupCon", "Cross-entropy", measure) for measure in (MEASURES[0], INCREASE)],
    besides=lambda scale: [above("SupCon", "Cross-entropy", measure) for measure in (MEASURES[-1], MEAN)],
    measures=lambda scale: (*MEASURES, MEAN, INCREASE),
    chart="severity",
    differs="15 bins; the paper does not say how many it has. The claim is the caption's of its figure: in its own "
    "table the error of both increases, and at severity 5 of ResNet-50 SupCon's is the higher one.",
)
