"""Fig. 3: accuracy under corruptions."""

from supcon.experiments.experiment import Comparison, Experiment, Setting, above
from supcon.experiments.scale import Scale
from supcon.experiments.shared_settings import BOTH, both_networks, networks, with_network
from supcon.recipes import Method

SEVERITIES = tuple(f"corruptions/severity_{severity}/mean_top1" for severity in range(1, 6))
MEASURES = ("corruptions/mce", "corruptions/relative_mce", "corruptions/mean_top1", "test/top1", *SEVERITIES)

PUBLISHED = {
    ("SupCon", "ResNet-50"): (67.2, 94.6, 78.81, 65.39, 55.55, 48.64, 37.27, 26.92),
    ("Cross-entropy", "ResNet-50"): (68.6, 96.2, 78.24, 65.06, 54.96, 47.64, 35.93, 25.38),
    ("SupCon", "ResNet-200"): (50.6, 66.5, 81.38, 73.29, 66.16, 61.80, 54.01, 45.71),
    ("Cross-entropy", "ResNet-200"): (52.4, 69.1, 80.81, 72.89, 65.28, 60.55, 52.00, 43.11),
}
"""mCE and relative mCE (Fig. 3, left), clean accuracy and accuracy by severity (Supp. Table 6)."""


def _published(loss: str, network: str) -> dict[str, float]:
    mce, relative, *accuracy = (figure / 100 for figure in PUBLISHED[loss, network])
    by_severity = dict(zip(("test/top1", *SEVERITIES), accuracy, strict=True))
    mean = sum(accuracy[1:]) / 5
    return {"corruptions/mce": mce, "corruptions/relative_mce": relative, "corruptions/mean_top1": mean, **by_severity}


def _setting(loss: str, method: Method, network: str, recipe: str | None) -> Setting:
    return Setting(
        name=with_network(loss, network),
        method=method,
        recipe=recipe,
        extras=("corruptions",),
        published=_published(loss, network),
    )


def _settings(scale: Scale) -> list[Setting]:
    return [_setting(loss, method, *network) for network in networks(scale).items() for loss, method in BOTH.items()]


def _comparisons(scale: Scale) -> list[Comparison]:
    measures = ("corruptions/mce", "corruptions/relative_mce", "corruptions/mean_top1", *SEVERITIES)
    return [above(*pair, measure) for pair in both_networks(scale) for measure in measures]


ROBUSTNESS = Experiment(
    name="robustness",
    where="Fig. 3, Supp. Table 6",
    claim="SupCon is more robust to corruptions than cross-entropy: lower mean and relative mean corruption errors, "
    "and higher accuracy at every severity.",
    settings=_settings,
    comparisons=_comparisons,
    measures=lambda scale: MEASURES,
    chart="severity",
    differs="The 15 corruptions of ImageNet-C, made from the test images. Below the paper's scale the unit of mCE is "
    "cross-entropy's mean error, not AlexNet's, so that the paper's values are in another unit, and relative mCE is "
    "the mean over the corruptions that cost cross-entropy at least a point of accuracy. The paper's mean over "
    "severities is computed from its table.",
)
