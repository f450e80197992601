"""Table 2: four methods on three data sets."""

from collections.abc import Sequence

from supcon.experiments.experiment import Comparison, Experiment, Setting, above
from supcon.experiments.scale import Scale
from supcon.recipes import Method

METHODS: dict[str, Method] = {
    "SimCLR": "simclr",
    "Cross-entropy": "cross-entropy",
    "Max-margin": "large-margin",
    "SupCon": "supcon",
}
PUBLISHED = {
    "CIFAR-10": ("cifar10-resnet50", (0.936, 0.950, 0.924, 0.960)),
    "CIFAR-100": ("cifar100-resnet50", (0.707, 0.753, 0.705, 0.765)),
    "ImageNet": ("imagenet-resnet50", (0.702, 0.782, 0.780, 0.787)),
}
"""Recipe, and the figures in the order of METHODS."""


def _settings(scale: Scale) -> list[Setting]:
    if not scale.is_paper:
        _, figures = PUBLISHED["CIFAR-10"]
        return [
            Setting(name=name, method=method, published={"test/top1": figure})
            for (name, method), figure in zip(METHODS.items(), figures, strict=True)
        ]
    return [
        Setting(
            name=f"{name}, {data}", method=method, recipe=recipe, line=data, at=name, published={"test/top1": figure}
        )
        for data, (recipe, figures) in PUBLISHED.items()
        for (name, method), figure in zip(METHODS.items(), figures, strict=True)
    ]


def _comparisons(scale: Scale) -> Sequence[Comparison]:
    sets = [f", {data}" for data in PUBLISHED] if scale.is_paper else [""]
    return [above(f"SupCon{data}", f"{other}{data}") for data in sets for other in METHODS if other != "SupCon"]


DATASETS = Experiment(
    name="datasets",
    where="Table 2",
    claim="SupCon generalizes better than cross-entropy, max-margin classifiers and SimCLR on CIFAR-10, CIFAR-100 and "
    "ImageNet.",
    settings=_settings,
    comparisons=_comparisons,
    differs="Below the paper's scale on the data of --data alone, beside the paper's figures for CIFAR-10. "
    "Max-margin has the settings of cross-entropy and SimCLR those of SupCon; neither was tuned here.",
)
