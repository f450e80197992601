"""Table 2: four methods on three data sets."""

from collections.abc import Sequence

from supcon.experiments.experiment import Changes, Comparison, Experiment, Setting, above
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

RATES = (0.25, 0.5, 1.0, 2.0)
"""Times the recipe's learning rate."""

OWN_CHOICES: dict[str, tuple[Changes, ...]] = {
    "SimCLR": tuple({"loss.temperature": value} for value in (0.1, 0.3, 0.5)),
    "Max-margin": tuple({"stage1.margin": value} for value in (2, 4)),
}
"""Of the methods whose temperature and margin were not tuned for the small recipe, as SupCon's temperature was."""


def _candidates(scale: Scale, name: str, method: Method) -> tuple[Changes, ...]:
    """Learning rates for every method, and for some another setting."""
    if scale.name == "smoke":
        return ({},)
    lr = scale.base(method).stage1.optimizer.lr
    return tuple({"stage1.optimizer.lr": rate * lr, **own} for own in OWN_CHOICES.get(name, ({},)) for rate in RATES)


def _settings(scale: Scale) -> list[Setting]:
    if not scale.is_paper:
        _, figures = PUBLISHED["CIFAR-10"]
        return [
            Setting(
                name=name,
                method=method,
                candidates=_candidates(scale, name, method),
                published={"test/top1": figure},
            )
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
    "There every method has its learning rate chosen from a quarter to twice its recipe's on validation images, SimCLR "
    "also its temperature (0.1, 0.3, 0.5) and max-margin its margin (2, 4).",
)
