"""Table 4: fine-tuning on other data sets."""

import math
import statistics
from collections.abc import Mapping

from supcon.data import short_name
from supcon.experiments.experiment import Comparison, Experiment, Setting, on_par
from supcon.experiments.scale import Scale
from supcon.experiments.shared_settings import both_networks, networks, with_network
from supcon.recipes import Method
from supcon.report import ROWS, TABLE_4

METHODS: dict[tuple[str, str], tuple[Method, str]] = {
    ("SupCon", "ResNet-50"): ("supcon", "SupCon-50"),
    ("Cross-entropy", "ResNet-50"): ("cross-entropy", "Xent-50"),
    ("SimCLR", "ResNet-50"): ("simclr", "SimCLR-50"),
    ("SupCon", "ResNet-200"): ("supcon", "SupCon-200"),
    ("Cross-entropy", "ResNet-200"): ("cross-entropy", "Xent-200"),
}
"""By the paper's name and network: the method, and its column in Table 4."""
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
    recipes = networks(scale)
    return [
        Setting(
            name=with_network(name, network),
            method=method,
            recipe=recipes[network],
            extras=("transfer",),
            published=_published(column) if scale.is_paper else {},
        )
        for (name, network), (method, column) in METHODS.items()
        if network in recipes
    ]


def _measures(scale: Scale) -> tuple[str, ...]:
    linear = tuple(_measure(data, "linear") for data in scale.transfer_to) if scale.linear_transfer else ()
    return (MEAN, *(_measure(data) for data in scale.transfer_to), *linear)


def _comparisons(scale: Scale) -> list[Comparison]:
    pairs = [("SupCon", "SimCLR"), *both_networks(scale)]
    return [on_par(*pair, 0.01, MEAN) for pair in pairs]


def _mean(measures: Mapping[str, float], scale: Scale) -> dict[str, float]:
    """The mean over the sets that were asked for, whatever their metrics, as in Table 4."""
    values = [measures.get(_measure(data), math.nan) for data in scale.transfer_to]
    return {MEAN: statistics.fmean(values)}


TRANSFER = Experiment(
    name="transfer",
    where="Table 4",
    claim="SupCon is on par with cross-entropy and with self-supervised contrastive learning when its encoder is "
    "fine-tuned on other data sets.",
    settings=_settings,
    comparisons=_comparisons,
    measures=_measures,
    derive=_mean,
    differs="On par means within one point of the mean over sets. With few sets it can be refuted but not shown, "
    "because the variance over their test images is not kept. Below the paper's scale to the data of --transfer-to "
    "(the digits unless given), with fewer steps and three learning rates, and also as a linear classifier. The "
    "paper's mean is computed from its twelve figures: the mean it prints is another.",
)
