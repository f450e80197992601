"""Not in the paper: SupCon and cross-entropy with all settings chosen in the same way."""

from supcon.experiments.experiment import OURS, Changes, Experiment, Setting, above
from supcon.experiments.scale import Scale
from supcon.recipes import Method

SUPCON, EVERY_VIEW, ONE_VIEW = "SupCon", "Cross-entropy, as many views", "Cross-entropy, one view an image"
RATES = (0.5, 1.0, 2.0)
"""Times the recipe's learning rate."""


def _candidates(scale: Scale, method: Method) -> tuple[Changes, ...]:
    """The same grid for all: learning rates, and the recipe's views, the paper's or plain crops and flips."""
    base = scale.base(method)
    rates = (1.0,) if scale.name == "smoke" else RATES
    views = dict.fromkeys((base.views.augmentation, "sim-augment", "crop-flip"))
    return tuple(
        {"stage1.optimizer.lr": base.stage1.optimizer.lr * rate, "views.augmentation": view}
        for view in views
        for rate in rates
    )


def _settings(scale: Scale) -> list[Setting]:
    count = scale.base().views.count
    arms: dict[str, tuple[Method, Changes]] = {
        SUPCON: ("supcon", {}),
        EVERY_VIEW: ("cross-entropy", {"views.count": count}),
        ONE_VIEW: ("cross-entropy", {"views.count": 1}),
    }
    return [
        Setting(
            name=name, method=method, changes=changes, candidates=_candidates(scale, method), extras=("corruptions",)
        )
        for name, (method, changes) in arms.items()
    ]


FAIR_COMPARISON = Experiment(
    name="fair-comparison",
    where=OURS,
    claim="SupCon is above cross-entropy with the same encoder and data when the learning rate and the views of each "
    "are chosen from the same grid on validation images.",
    settings=_settings,
    comparisons=lambda scale: [above(SUPCON, other) for other in (EVERY_VIEW, ONE_VIEW)],
    measures=lambda scale: ("test/top1", "corruptions/mean_top1", "test/ece"),
    differs="Cross-entropy is run with as many views of an image as SupCon, and also with one view, "
    "the usual way to train it, which halves the time of a step. --recipe selects another encoder, for example a "
    "pretrained one.",
)
