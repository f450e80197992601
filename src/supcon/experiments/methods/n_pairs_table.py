"""Sec. 4.1 and Supp. Sec. 5: the N-pairs loss."""

from supcon.experiments.experiment import Changes, Experiment, Setting, above
from supcon.experiments.scale import Scale


def _changes(scale: Scale) -> Changes:
    """Gradients as large as at the temperature of SupCon, as the paper rescales its loss, and as in `temperature`."""
    base = scale.base().loss
    return {"loss.rescale": base.temperature} if base.rescale == "none" else {}


N_PAIRS = Experiment(
    name="n-pairs",
    where="Sec. 4.1, Supp. Sec. 5",
    claim="The N-pairs loss, with one positive, one view and no temperature, is below SupCon: 57.4 against 78.7 %.",
    settings=lambda scale: [
        Setting(name="SupCon", published={"test/top1": 0.787}),
        Setting(name="N-pairs", method="n-pairs", changes=_changes(scale), published={"test/top1": 0.574}),
    ],
    comparisons=lambda scale: [above("SupCon", "N-pairs")],
    differs="N-pairs has temperature 1, as in the paper's derivation, and one view per image, since the paper names "
    "several views as missing from it. Its gradients are as large as at SupCon's temperature; everything else is "
    "SupCon's.",
)
