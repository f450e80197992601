"""Parts that several grids share, so that they share cells too; free of torch."""

from supcon.experiments.experiment import Changes
from supcon.experiments.scale import Scale
from supcon.recipes import Method

BOTH: dict[str, Method] = {"SupCon": "supcon", "Cross-entropy": "cross-entropy"}
"""The two that most figures of the paper compare."""

AUGMENTATIONS = {
    "AutoAugment": "auto-augment",
    "RandAugment": "rand-augment",
    "SimAugment": "sim-augment",
    "Stacked RandAugment": "stacked-rand-augment",
}
"""The paper's names and ours."""

OPTIMIZERS = {"LARS": "lars", "RMSProp": "rmsprop", "Momentum": "sgd"}


def views_of(scale: Scale, augmentation: str, stage: int) -> Changes:
    """Changes that give a stage an augmentation, by the paper's name; AutoAugment with the policy of the data."""
    group = "views" if stage == 1 else "stage2.views"
    changes: dict[str, object] = {f"{group}.augmentation": AUGMENTATIONS[augmentation]}
    if augmentation == "AutoAugment" and not scale.is_paper:
        changes[f"{group}.auto_augment_policy"] = "cifar10"
    return changes if stage == 1 else {**changes, "stage2.cached": False}


def stage1_optimizers(scale: Scale, optimizer: str, method: Method) -> tuple[Changes, ...]:
    """The changes that give stage 1 an optimizer: the recipe's own, or candidates of a learning rate to choose from."""
    if scale.base(method).stage1.optimizer.name == OPTIMIZERS[optimizer]:
        return ({},)
    name = {"stage1.optimizer.name": OPTIMIZERS[optimizer], "stage1.optimizer.nesterov": False}
    return tuple({**name, "stage1.optimizer.lr": rate} for rate in _rates(scale, optimizer))


def _rates(scale: Scale, optimizer: str) -> tuple[float, ...]:
    """A decade around what the optimizer takes; at the paper's scale they are multiplied by the batch size / 256."""
    if scale.is_paper:
        return {"LARS": (0.2, 0.4, 0.8), "RMSProp": (0.003, 0.01, 0.03), "Momentum": (0.03, 0.1, 0.3)}[optimizer]
    rates = {"LARS": (3.0, 10.0, 30.0), "RMSProp": (0.001, 0.003, 0.01), "Momentum": (0.03, 0.1, 0.3)}[optimizer]
    return rates[1:2] if scale.name == "smoke" else rates


def stage2_optimizer(scale: Scale, optimizer: str) -> Changes:
    """The changes that give stage 2 an optimizer, with the rate and schedule that it has elsewhere in this package."""
    base = scale.base().stage2.optimizer
    if base.name == OPTIMIZERS[optimizer]:
        return {}
    changes: dict[str, object] = {"stage2.optimizer.name": OPTIMIZERS[optimizer], "stage2.optimizer.nesterov": False}
    if optimizer == "RMSProp":  # the authors' rate at batch 256
        return {**changes, "stage2.optimizer.lr": 0.05}
    cosine = {"stage2.optimizer.schedule": "cosine", "stage2.optimizer.warmup_epochs": 0.0}
    return {**changes, **cosine, "stage2.optimizer.lr": 30.0 if optimizer == "LARS" else 1.0}
