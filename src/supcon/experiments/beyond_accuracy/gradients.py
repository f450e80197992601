"""Supp. Sec. 3: the contributions of hard positives and hard negatives to the gradient."""

import math
import statistics
from collections.abc import Sequence

from supcon.experiments.experiment import Experiment, Outcome, Setting
from supcon.experiments.results import Results
from supcon.experiments.scale import Scale

MEASURES = ("gradients/positives_hard_to_easy", "gradients/negatives_hard_to_easy")
"""Mean contribution to the gradient of the hardest fifth of an anchor's pairs, divided by that of the easiest fifth."""


def _settings(scale: Scale) -> list[Setting]:
    changes = {"stage1.knn_every": max(1, scale.base().stage1.epochs // 10)}  # as often as it looks
    return [
        Setting(name="L_out (Eq. 2)", changes=changes, extras=("gradients",)),
        Setting(name="L_in (Eq. 3)", method="supcon-in", changes=changes, extras=("gradients",)),
    ]


def _judge(results: Results) -> Sequence[Outcome]:
    """Of the last epoch that was measured, a two-sided t-test over seeds of the logarithm of every ratio against 0.
    Held: every ratio is above 1, at 5 %. Did not hold: one is below 1, at 5 % divided by the number of ratios."""
    from scipy.stats import ttest_1samp

    outcomes = []
    if failed := [row.setting.name for row in results.rows if row.failures]:
        return [Outcome(answer="cannot be told", sentence=f"Training failed with {', '.join(failed)}.")]
    below = 0.05 / (len(results.rows) * len(MEASURES))
    for row in results.rows:
        for measure in MEASURES:
            found = row.values(measure)
            what = f"{row.setting.name}, {measure.split('/')[1].split('_')[0]}"
            if len(found) < 2 or min(found) <= 0:
                known = f"ratio {', '.join(f'{value:.3g}' for value in found)}" if found else "not measured"
                reason = "one seed" if len(found) < 2 else "which has no logarithm"
                outcomes.append(Outcome(answer="cannot be told", sentence=f"{what}: {known}, {reason}."))
                continue
            values = [math.log(value) for value in found]
            ratio, p_value = math.exp(statistics.fmean(values)), float(ttest_1samp(values, 0.0).pvalue)
            words = f"{what}: hard pairs weigh {ratio:.3g} times as much as easy ones (p = {p_value:.3g})."
            sure = p_value < (0.05 if ratio > 1 else below)
            answer = "cannot be told" if not sure else "held" if ratio > 1 else "did not hold"
            outcomes.append(Outcome(answer=answer, sentence=words))  # type: ignore[arg-type]
    return outcomes


GRADIENTS = Experiment(
    name="gradients",
    where="Supp. Sec. 3",
    claim="Hard positives and hard negatives have large contributions to the gradient and easy ones small ones, for "
    "L_out and for L_in.",
    settings=_settings,
    judge=_judge,
    measures=lambda scale: MEASURES,
    chart="training",
    differs="The paper derives this; here it is measured during training. For every anchor, the hard positives are "
    "the fifth of its positives that are least similar to it, the hard negatives the fifth that are most similar.",
)
