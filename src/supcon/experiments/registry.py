"""All experiments by name; does not import torch."""

import difflib
from collections.abc import Sequence

from supcon.base.errors import RequestError
from supcon.experiments.beyond_accuracy.calibration_by_severity import CALIBRATION
from supcon.experiments.beyond_accuracy.gradients import GRADIENTS
from supcon.experiments.beyond_accuracy.label_noise import LABEL_NOISE
from supcon.experiments.beyond_accuracy.reduced_training_data import REDUCED_DATA
from supcon.experiments.beyond_accuracy.robustness import ROBUSTNESS
from supcon.experiments.beyond_accuracy.transfer_sets import TRANSFER
from supcon.experiments.experiment import Experiment
from supcon.experiments.hyperparameters.augmentation_pairs import AUGMENTATION_PAIRS
from supcon.experiments.hyperparameters.batch_size import BATCH_SIZE
from supcon.experiments.hyperparameters.optimizer_pairs import OPTIMIZER_PAIRS
from supcon.experiments.hyperparameters.positives_cap import POSITIVES
from supcon.experiments.hyperparameters.randaugment_magnitude import RANDAUGMENT_MAGNITUDE
from supcon.experiments.hyperparameters.stability import STABILITY
from supcon.experiments.hyperparameters.temperature import TEMPERATURE
from supcon.experiments.hyperparameters.training_epochs import EPOCHS
from supcon.experiments.methods.cross_entropy_budget import CROSS_ENTROPY_BUDGET
from supcon.experiments.methods.datasets_table import DATASETS
from supcon.experiments.methods.fair_comparison import FAIR_COMPARISON
from supcon.experiments.methods.fair_comparison_fine_tuned import FAIR_COMPARISON_FINE_TUNED
from supcon.experiments.methods.imagenet_table import IMAGENET
from supcon.experiments.methods.loss_variants import LOSS_VARIANTS
from supcon.experiments.methods.n_pairs_table import N_PAIRS
from supcon.experiments.methods.queue_table import QUEUE_EXPERIMENT
from supcon.experiments.methods.two_stage_cross_entropy import TWO_STAGE

EXPERIMENTS: dict[str, Experiment] = {
    experiment.name: experiment
    for experiment in (
        LOSS_VARIANTS,
        DATASETS,
        IMAGENET,
        ROBUSTNESS,
        CALIBRATION,
        STABILITY,
        BATCH_SIZE,
        EPOCHS,
        TEMPERATURE,
        POSITIVES,
        N_PAIRS,
        QUEUE_EXPERIMENT,
        CROSS_ENTROPY_BUDGET,
        TWO_STAGE,
        OPTIMIZER_PAIRS,
        AUGMENTATION_PAIRS,
        RANDAUGMENT_MAGNITUDE,
        TRANSFER,
        REDUCED_DATA,
        LABEL_NOISE,
        GRADIENTS,
        FAIR_COMPARISON,
        FAIR_COMPARISON_FINE_TUNED,
    )
}


def find_experiments(names: Sequence[str]) -> list[Experiment]:
    """The experiments with these names, in the given order; all experiments if `all` is among them."""
    for name in names:
        if name not in EXPERIMENTS and name != "all":
            near = difflib.get_close_matches(name, EXPERIMENTS, n=1)
            hint = f"did you mean {near[0]!r}?" if near else f"there are: {', '.join(EXPERIMENTS)}, or all."
            raise RequestError(f"There is no experiment called {name!r}; {hint}")
    if "all" in names:
        return list(EXPERIMENTS.values())
    return [EXPERIMENTS[name] for name in dict.fromkeys(names)]
