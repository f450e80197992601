"""Fig. 4 (a): how much accuracy varies with augmentation, optimizer and learning rate."""

import statistics
from collections.abc import Sequence

from supcon.experiments.experiment import Experiment, Outcome, Setting
from supcon.experiments.results import Results
from supcon.experiments.scale import Scale
from supcon.experiments.shared_settings import AUGMENTATIONS, BOTH, OPTIMIZERS, stage1_optimizers, views_of

RATES = (0.25, 0.5, 1.0, 2.0, 4.0)
"""Times the recipe's learning rate."""


def _settings(scale: Scale) -> list[Setting]:
    smoke = scale.name == "smoke"
    rows = []
    for loss, method in BOTH.items():
        lr = scale.base(method).stage1.optimizer.lr
        for augmentation in AUGMENTATIONS:
            changes = views_of(scale, augmentation, 1)
            rows.append(Setting(name=f"{loss}, {augmentation}", method=method, changes=changes, line=loss))
        for optimizer in [] if smoke else OPTIMIZERS:
            choices = stage1_optimizers(scale, optimizer, method)
            if choices != ({},):
                rows.append(Setting(name=f"{loss}, {optimizer}", method=method, candidates=choices, line=loss))
        for factor in (0.5, 1.0) if smoke else RATES:
            changes = {"stage1.optimizer.lr": lr * factor}
            rows.append(Setting(name=f"{loss}, rate times {factor:g}", method=method, changes=changes, line=loss))
    return rows


def _judge(results: Results) -> Sequence[Outcome]:
    """Brown and Forsythe's test of equal variances at 5 %: the settings of each loss are its sample; the recipe's own,
    which is in several rows, counts once. A setting whose training failed has no accuracy, so that it cannot be told.
    """
    from scipy.stats import levene

    if failed := [row.setting.name for row in results.rows if row.failures]:
        return [Outcome(answer="cannot be told", sentence=f"Training failed with {', '.join(failed)}.")]
    supcon, cross_entropy = (_accuracies(results, loss) for loss in BOTH)
    if min(len(supcon), len(cross_entropy)) < 3:
        return [Outcome(answer="cannot be told", sentence="Fewer than three settings of a loss are measured.")]
    spread = [100 * statistics.stdev(values) for values in (supcon, cross_entropy)]
    p_value = float(levene(supcon, cross_entropy, center="median").pvalue)
    sentence = (
        f"Standard deviation over settings: SupCon {spread[0]:.2f} points, cross-entropy {spread[1]:.2f} points "
        f"(Brown and Forsythe's test over {len(supcon)} and {len(cross_entropy)} settings, p = {p_value:.3f})."
    )
    if p_value > 0.05:
        return [Outcome(answer="cannot be told", sentence=sentence)]
    return [Outcome(answer="held" if spread[0] < spread[1] else "did not hold", sentence=sentence)]


def _accuracies(results: Results, loss: str) -> list[float]:
    """The accuracy of every setting of a loss; rows of the same cells are one setting."""
    rows = {tuple(cell.key for cell in row.cells): row for row in results.rows if row.setting.line == loss}
    return [row.mean("test/top1") for row in rows.values()]


STABILITY = Experiment(
    name="stability",
    where="Fig. 4 (a)",
    claim="Accuracy varies less with augmentation, optimizer and learning rate for SupCon than for cross-entropy.",
    settings=_settings,
    judge=_judge,
    chart="box",
    differs="One thing is changed at a time. RandAugment has the paper's magnitude, 10, which was not tuned. "
    "Optimizers that are not the recipe's own have their rate chosen from "
    "three. The paper does not say which learning rates it tried: here a quarter to four times the recipe's.",
)
