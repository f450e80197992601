"""Not in the paper: SupCon and cross-entropy with all settings chosen in the same way."""

from supcon.experiments.experiment import OURS, Changes, Experiment, Setting, above
from supcon.experiments.scale import Scale
from supcon.experiments.shared_settings import views_of
from supcon.recipes import Method

SUPCON, EVERY_VIEW, ONE_VIEW = "SupCon", "Cross-entropy, as many views", "Cross-entropy, one view an image"
SUPCON_ONE, SAME_TIME = "SupCon, one view, same time", "Cross-entropy, one view, same time"
RATES = (0.5, 1.0, 2.0, 4.0)
"""Times the recipe's learning rate."""

WEAK_VIEWS: Changes = {"views.augmentation": "crop-flip", "views.crop_area": (0.5, 1.0)}
"""Crops of at least half of the image, and flips: small networks and short trainings learn more with them."""


MEASURES = ("test/top1", "test/knn_top1", "corruptions/mean_top1", "test/ece")


def _candidates(scale: Scale, method: Method) -> tuple[Changes, ...]:
    """The same grid for all: learning rates, and the recipe's views, the paper's or weak ones."""
    base = scale.base(method)
    rates = (1.0,) if scale.name == "smoke" else RATES
    own = {"views.augmentation": base.views.augmentation}
    strong = [own, views_of(scale, "SimAugment", 1)] if base.views.augmentation != "sim-augment" else [own]
    views: list[Changes] = [*strong, WEAK_VIEWS]
    return tuple({"stage1.optimizer.lr": base.stage1.optimizer.lr * rate, **view} for view in views for rate in rates)


def _settings(scale: Scale) -> list[Setting]:
    base = scale.base()
    count, stage = base.views.count, base.stage1
    # As many rows in a step, and as many steps: every image is seen as often as with all its views at once.
    alike: Changes = {"stage1.epochs": stage.epochs, "stage1.learn_from": "all-views"}  # cross-entropy as SupCon
    same_time = {"views.count": 1, "stage1.batch_size": count * stage.batch_size, "stage1.epochs": count * stage.epochs}
    arms: dict[str, tuple[Method, Changes]] = {
        SUPCON: ("supcon", {}),
        EVERY_VIEW: ("cross-entropy", {"views.count": count}),
        ONE_VIEW: ("cross-entropy", {"views.count": 1}),
        SUPCON_ONE: ("supcon", same_time),
        SAME_TIME: ("cross-entropy", same_time),
    }
    return [
        Setting(
            name=name,
            method=method,
            changes={**alike, **changes},
            candidates=_candidates(scale, method),
            extras=("corruptions",),
        )
        for name, (method, changes) in arms.items()
    ]


FAIR_COMPARISON = Experiment(
    name="fair-comparison",
    where=OURS,
    claim="SupCon is above cross-entropy with the same encoder and data when the learning rate and the views of each "
    "are chosen from the same grid on validation images.",
    settings=_settings,
    comparisons=lambda scale: [
        *(above(SUPCON, other) for other in (EVERY_VIEW, ONE_VIEW)),
        above(SUPCON_ONE, SAME_TIME),
    ],
    besides=lambda scale: [
        above(*pair, measure) for measure in MEASURES[1:] for pair in ((SUPCON, EVERY_VIEW), (SUPCON_ONE, SAME_TIME))
    ],
    measures=lambda scale: MEASURES,
    differs="Views are strong, SimAugment, or weak, crops of at least half of the image and flips. Cross-entropy is "
    "run with as many views of an image as SupCon, and with one view, the usual way to train it, which halves the "
    "time of a step. `same time`: both methods with one view of twice as many images in a step and twice the epochs. "
    "--recipe selects another encoder, for example a pretrained one.",
)
