"""Settings that several experiments share, so that they share cells too; does not import torch."""

from supcon.experiments.experiment import Changes
from supcon.experiments.scale import Scale
from supcon.recipes import Method

BOTH: dict[str, Method] = {"SupCon": "supcon", "Cross-entropy": "cross-entropy"}
"""The two methods that most figures of the paper compare."""

AUGMENTATIONS = {
    "AutoAugment": "auto-augment",
    "RandAugment": "rand-augment",
    "SimAugment": "sim-augment",
    "Stacked RandAugment": "stacked-rand-augment",
}
"""The paper's names of the augmentations, and ours."""

OPTIMIZERS = {"LARS": "lars", "RMSProp": "rmsprop", "Momentum": "sgd"}


def views_of(scale: Scale, augmentation: str, stage: int) -> Changes:
    """The changes that set the augmentation of a stage, by the paper's name."""
    group = "views" if stage == 1 else "stage2.views"
    changes: dict[str, object] = {f"{group}.augmentation": AUGMENTATIONS[augmentation]}
    if augmentation == "AutoAugment" and not scale.is_paper:
        changes[f"{group}.auto_augment_policy"] = "cifar10"
    return changes if stage == 1 else {**changes, "stage2.cached": False}


def stage1_optimizers(scale: Scale, optimizer: str, method: Method) -> tuple[Changes, ...]:
    """The changes that set the optimizer of stage 1: none for the recipe's own, otherwise one per learning rate."""
    if scale.base(method).stage1.optimizer.name == OPTIMIZERS[optimizer]:
        return ({},)
    name = {"stage1.optimizer.name": OPTIMIZERS[optimizer], "stage1.optimizer.nesterov": False}
    return tuple({**name, "stage1.optimizer.lr": rate} for rate in _rates(scale, optimizer))


def _rates(scale: Scale, optimizer: str) -> tuple[float, ...]:
    """Learning rates around a usual one; at the paper's scale they are multiplied by batch size / 256."""
    if scale.is_paper:
        return {"LARS": (0.2, 0.4, 0.8), "RMSProp": (0.003, 0.01, 0.03), "Momentum": (0.03, 0.1, 0.3)}[optimizer]
    rates = {"LARS": (3.0, 10.0, 30.0), "RMSProp": (0.001, 0.003, 0.01), "Momentum": (0.03, 0.1, 0.3)}[optimizer]
    return rates[1:2] if scale.name == "smoke" else rates


def stage2_optimizer(scale: Scale, optimizer: str) -> Changes:
    """The changes that set the optimizer of stage 2, with a usual rate and schedule."""
    base = scale.base().stage2.optimizer
    if base.name == OPTIMIZERS[optimizer]:
        return {}
    changes: dict[str, object] = {"stage2.optimizer.name": OPTIMIZERS[optimizer], "stage2.optimizer.nesterov": False}
    if optimizer == "RMSProp":  # the authors' rate at batch 256
        return {**changes, "stage2.optimizer.lr": 0.05}
    cosine = {"stage2.optimizer.schedule": "cosine", "stage2.optimizer.warmup_epochs": 0.0}
    return {**changes, **cosine, "stage2.optimizer.lr": 30.0 if optimizer == "LARS" else 1.0}
