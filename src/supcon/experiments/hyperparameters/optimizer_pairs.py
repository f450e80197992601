"""Supp. Table 8: the optimizers of both stages."""

from supcon.experiments.experiment import Comparison, Experiment, Setting, above
from supcon.experiments.scale import Scale
from supcon.experiments.shared_settings import OPTIMIZERS, stage1_optimizers, stage2_optimizers

PUBLISHED = {
    ("LARS", "LARS"): 0.782,
    ("LARS", "RMSProp"): 0.787,
    ("LARS", "Momentum"): 0.776,
    ("RMSProp", "LARS"): 0.774,
    ("RMSProp", "RMSProp"): 0.778,
    ("RMSProp", "Momentum"): 0.769,
    ("Momentum", "LARS"): 0.777,
    ("Momentum", "RMSProp"): 0.761,
    ("Momentum", "Momentum"): 0.777,
}


def _name(first: str, second: str) -> str:
    return f"{first}, then {second}"


def _settings(scale: Scale) -> list[Setting]:
    return [
        Setting(
            name=_name(first, second),
            candidates=tuple(
                {**stage1, **stage2}
                for stage1 in stage1_optimizers(scale, first, "supcon")
                for stage2 in stage2_optimizers(scale, second)
            ),
            line=f"stage 1: {first}",
            at=f"stage 2: {second}",
            published={"test/top1": figure},
        )
        for (first, second), figure in PUBLISHED.items()
    ]


def _comparisons(scale: Scale) -> list[Comparison]:
    del scale
    stage1 = {first: [_name(first, second) for second in OPTIMIZERS] for first in OPTIMIZERS}
    with_lars = {second: _name("LARS", second) for second in OPTIMIZERS}
    return [
        *(
            above(stage1["LARS"], stage1[other], title=f"LARS against {other} in stage 1, mean over stage 2")
            for other in OPTIMIZERS
            if other != "LARS"
        ),
        *(above(with_lars["RMSProp"], with_lars[other]) for other in OPTIMIZERS if other != "RMSProp"),
    ]


OPTIMIZER_PAIRS = Experiment(
    name="optimizers",
    where="Supp. Table 8",
    claim="LARS is best for training the encoder, and RMSProp for the linear classifier on it.",
    settings=_settings,
    comparisons=_comparisons,
    chart="matrix",
    differs="The learning rate of stage 1 is chosen from three for every optimizer that is not the recipe's own, by "
    "validation accuracy with the first seed. In stage 2 each has one rate and the recipe's epochs; at the paper's "
    "scale three rates, which are ours, and 350 epochs.",
)
