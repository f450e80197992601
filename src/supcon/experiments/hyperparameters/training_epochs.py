"""Fig. 4 (c): accuracy by the epochs of stage 1."""

from supcon.experiments.experiment import Comparison, Experiment, Setting, above, not_far_below
from supcon.experiments.scale import Scale

SHARES = (1 / 7, 2 / 7, 4 / 7, 1, 2)
"""Of the recipe's epochs: 50, 100, 200, 350 and 700 at the paper's scale."""


def _epochs(scale: Scale) -> list[int]:
    shares = SHARES if scale.name != "smoke" else (1, 2, 3, 4, 5)
    return [max(1, round(share * scale.base().stage1.epochs)) for share in shares]


def _name(epochs: int) -> str:
    return f"{epochs} epochs"


def _settings(scale: Scale) -> list[Setting]:
    return [
        Setting(name=_name(epochs), changes={"stage1.epochs": epochs}, line="SupCon", at=epochs)
        for epochs in _epochs(scale)
    ]


def _comparisons(scale: Scale) -> list[Comparison]:
    shortest, _, enough, usual, _ = map(_name, _epochs(scale))
    return [above(usual, shortest), not_far_below(enough, usual, 0.01)]


EPOCHS = Experiment(
    name="epochs",
    where="Fig. 4 (c), Sec. 4.5",
    claim="More epochs of stage 1 give more accuracy (our reading of the figure), and 200 of 350 are likely sufficient "
    "for most purposes.",
    settings=_settings,
    comparisons=_comparisons,
    chart="lines",
    axis="epochs of stage 1",
    differs="Sufficient means less than one point below the accuracy of the recipe's own epochs. The paper shows the "
    "figure and prints no values.",
)
