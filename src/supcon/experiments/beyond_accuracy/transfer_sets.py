"""Table 4: fine-tuning on other data sets."""

from supcon.data import short_name
from supcon.experiments.experiment import Experiment, Setting, on_par
from supcon.experiments.scale import Scale
from supcon.recipes import Method
from supcon.report import ROWS, TABLE_4

METHODS: dict[str, tuple[Method, str]] = {
    "SupCon": ("supcon", "SupCon-50"),
    "Cross-entropy": ("cross-entropy", "Xent-50"),
    "SimCLR": ("simclr", "SimCLR-50"),
}
MEAN = "transfer/mean/fine_tune/accuracy"
METRICS = {"voc2007": "map_11_point"} | dict.fromkeys(
    ("fgvc-aircraft", "oxford-pets", "caltech101", "oxford-flowers"), "mean_per_class"
)
"""The paper's metrics of some data sets; top-1 accuracy on the others."""


def _measure(data: str, protocol: str = "fine_tune") -> str:
    return f"transfer/{short_name(data)}/{protocol}/{METRICS.get(data, 'top1')}"


def _published(row: str) -> dict[str, float]:
    column = ROWS.index(row)
    figures = {_measure(data): values[column] / 100 for data, values in TABLE_4.items()}
    return {**figures, MEAN: sum(figures.values()) / len(figures)}


def _settings(scale: Scale) -> list[Setting]:
    return [
        Setting(name=name, method=method, extras=("transfer",), published=_published(row) if scale.is_paper else {})
        for name, (method, row) in METHODS.items()
    ]


def _measures(scale: Scale) -> tuple[str, ...]:
    linear = tuple(_measure(data, "linear") for data in scale.transfer_to) if scale.linear_transfer else ()
    return (MEAN, *(_measure(data) for data in scale.transfer_to), *linear)


TRANSFER = Experiment(
    name="transfer",
    where="Table 4",
    claim="SupCon is on par with cross-entropy and with self-supervised contrastive learning when its encoder is "
    "fine-tuned on other data sets.",
    settings=_settings,
    comparisons=lambda scale: [on_par("SupCon", other, 0.01, MEAN) for other in METHODS if other != "SupCon"],
    measures=_measures,
    differs="On par means within one point of the mean over sets. Below the paper's scale to the data of --transfer-to "
    "(the digits unless given), with fewer steps and three learning rates, and also as a linear classifier. The "
    "paper's mean is computed from its twelve figures: the mean it prints is another.",
)
