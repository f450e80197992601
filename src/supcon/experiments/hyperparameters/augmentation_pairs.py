"""Supp. Table 9: the augmentations of both stages."""

from supcon.experiments.experiment import Comparison, Experiment, Setting, above
from supcon.experiments.scale import Scale
from supcon.experiments.shared_settings import AUGMENTATIONS, views_of

PUBLISHED = {
    "AutoAugment": (0.786, 0.781, 0.754, 0.774),
    "RandAugment": (0.783, 0.784, 0.763, 0.758),
    "SimAugment": (0.761, 0.759, 0.779, 0.764),
    "Stacked RandAugment": (0.781, 0.782, 0.779, 0.759),
}
"""By the augmentation of stage 1; the figures in the order of AUGMENTATIONS for stage 2."""
SINGLE = ("AutoAugment", "RandAugment", "SimAugment")


def _name(first: str, second: str) -> str:
    return f"{first}, then {second}"


def _settings(scale: Scale) -> list[Setting]:
    return [
        Setting(
            name=_name(first, second),
            changes={**views_of(scale, first, 1), **views_of(scale, second, 2)},
            line=f"stage 1: {first}",
            at=second,
            published={"test/top1": figure},
        )
        for first, figures in PUBLISHED.items()
        for second, figure in zip(AUGMENTATIONS, figures, strict=True)
    ]


def _comparisons(scale: Scale) -> list[Comparison]:
    del scale
    auto, *_, stacked = same = [_name(one, one) for one in AUGMENTATIONS]
    same_is_best = [
        above(
            _name(one, one),
            [_name(one, other) for other in AUGMENTATIONS if other != one],
            title=f"{one} in both stages against the mean of the others in stage 2",
        )
        for one in SINGLE
    ]
    best, worst = [above(auto, other) for other in same[1:]], [above(other, stacked) for other in same[1:-1]]
    return [*best, *worst, *same_is_best]


AUGMENTATION_PAIRS = Experiment(
    name="augmentations",
    where="Supp. Table 9",
    claim="AutoAugment is best on ResNet-50 and Stacked RandAugment worst, and but for the latter it is best to use "
    "the same augmentation in both stages.",
    settings=_settings,
    comparisons=_comparisons,
    chart="matrix",
    axis="augmentation of stage 2",
    differs="RandAugment has the paper's magnitude, 10, which was not tuned. "
    "That the same augmentation is best is tested for each of the three against the mean of the others in "
    "stage 2. The paper says that AutoAugment is best of cross-entropy too, without figures; that has no rows. Below "
    "the paper's scale AutoAugment has CIFAR-10's policy.",
)
