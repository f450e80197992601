"""Not in the paper: SupCon and cross-entropy fine-tuned from ImageNet's weights, chosen in the same way."""

from supcon.experiments.experiment import OURS, Changes, Experiment, Setting, above
from supcon.experiments.scale import Scale
from supcon.recipes import Method, find_recipe

SUPCON, EVERY_VIEW, ONE_VIEW = "SupCon", "Cross-entropy, as many views", "Cross-entropy, one view an image"
RATES = (1e-4, 3e-4, 1e-3, 3e-3)

SAME_FOR_ALL: Changes = {"stage1.frozen_layers": 5, "stage1.pretrained_share": 0.0}
"""Three trained stages of blocks, and no mean with ImageNet's weights: the methods' recipes differ in both."""

MEASURES = ("test/top1", "test/knn_top1", "corruptions/mean_top1", "test/ece")

SIZES: dict[str, Changes] = {
    "smoke": {"data.image_size": 32},
    "small": {"data.image_size": 64, "data.per_class": 100},
    "paper": {"data.spec": "cifar10"},
}
"""The image size and the training images at each scale."""


def _candidates(scale: Scale) -> tuple[Changes, ...]:
    """The same grid for all: learning rates, and the recipe's views, crops with weak colours, or crops alone."""
    views = ("sim-augment",) if scale.name == "smoke" else ("sim-augment", "crop-flip")
    rates = RATES[:1] if scale.name == "smoke" else RATES
    return tuple({"stage1.optimizer.lr": rate, "views.augmentation": name} for name in views for rate in rates)


def _settings(scale: Scale) -> list[Setting]:
    views = find_recipe("photos").views.count
    arms: dict[str, tuple[Method, int]] = {
        SUPCON: ("supcon", views),
        EVERY_VIEW: ("cross-entropy", views),
        ONE_VIEW: ("cross-entropy", 1),
    }
    return [
        Setting(
            name=name,
            method=method,
            recipe="photos",
            changes={**SAME_FOR_ALL, **SIZES[scale.name], "views.count": count},
            candidates=_candidates(scale),
            extras=("corruptions",),
        )
        for name, (method, count) in arms.items()
    ]


FAIR_COMPARISON_FINE_TUNED = Experiment(
    name="fair-comparison-fine-tuned",
    where=OURS,
    claim="SupCon is above cross-entropy when both fine-tune an encoder with ImageNet weights, with the learning rate "
    "and the views of each chosen from the same grid on validation images.",
    settings=_settings,
    comparisons=lambda scale: [above(SUPCON, other) for other in (EVERY_VIEW, ONE_VIEW)],
    besides=lambda scale: [
        above(SUPCON, other, measure) for measure in MEASURES[1:] for other in (EVERY_VIEW, ONE_VIEW)
    ],
    measures=lambda scale: (*MEASURES, "before/logistic_regression_top1"),
    differs="The encoder is that of the recipe photos, EfficientNet-Lite2, at every scale; three of its stages are "
    "trained by both methods. At the scale small: 100 training images a class, scaled up to 64 pixels, and every "
    "fourth test image under corruptions. Views are crops of at least half of the image and flips, with weak changes "
    "of colour (sim-augment) or without (crop-flip). Temperature, epochs and batch size are the recipe's and were not "
    "chosen again.",
)
