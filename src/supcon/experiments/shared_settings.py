"""Settings that several experiments share, so that they share cells too; does not import torch."""

from dataclasses import asdict

from supcon.experiments.experiment import Changes
from supcon.experiments.scale import Scale
from supcon.recipes import Method, find_recipe

BOTH: dict[str, Method] = {"SupCon": "supcon", "Cross-entropy": "cross-entropy"}
"""The two methods that most figures of the paper compare."""


def networks(scale: Scale) -> dict[str, str | None]:
    """The networks of the figures that have two, and their recipes; below the paper's scale the scale's own alone."""
    return {"ResNet-50": None, "ResNet-200": "imagenet-resnet200"} if scale.is_paper else {"ResNet-50": None}


def with_network(name: str, network: str) -> str:
    """The name of a row."""
    return name if network == "ResNet-50" else f"{name}, {network}"


def both_networks(scale: Scale) -> list[tuple[str, str]]:
    """The names of SupCon's and cross-entropy's rows for every network."""
    supcon, cross_entropy = BOTH
    return [(with_network(supcon, network), with_network(cross_entropy, network)) for network in networks(scale)]


AUGMENTATIONS = {
    "AutoAugment": "auto-augment",
    "RandAugment": "rand-augment",
    "SimAugment": "sim-augment",
    "Stacked RandAugment": "stacked-rand-augment",
}
"""The paper's names of the augmentations, and ours."""

_AUTHORS_VIEWS: dict[str, tuple[str, Method]] = {
    "SimAugment": ("imagenet-resnet50", "simclr"),
    "Stacked RandAugment": ("imagenet-resnet200", "supcon"),
}
"""The recipes with the authors' strength of colours and blur."""

OPTIMIZERS = {"LARS": "lars", "RMSProp": "rmsprop", "Momentum": "sgd"}


def views_of(scale: Scale, augmentation: str, stage: int) -> Changes:
    """The changes that set the augmentation of a stage, by the paper's name."""
    group = "views" if stage == 1 else "stage2.views"
    changes: dict[str, object] = {f"{group}.augmentation": AUGMENTATIONS[augmentation]}
    if scale.is_paper and augmentation in _AUTHORS_VIEWS:
        usual = asdict(scale.base().views)
        views = asdict(find_recipe(*_AUTHORS_VIEWS[augmentation]).views)
        changes |= {f"{group}.{name}": value for name, value in views.items() if value != usual[name]}
    if augmentation == "AutoAugment" and not scale.is_paper:
        changes[f"{group}.auto_augment_policy"] = "cifar10"
    return changes if stage == 1 else {**changes, "stage2.cached": False}


def stage1_optimizers(scale: Scale, optimizer: str, method: Method) -> tuple[Changes, ...]:
    """The changes that set the optimizer of stage 1: none for the recipe's own, otherwise one per learning rate."""
    if scale.base(method).stage1.optimizer.name == OPTIMIZERS[optimizer]:
        return ({},)
    name: dict[str, object] = {"stage1.optimizer.name": OPTIMIZERS[optimizer], "stage1.optimizer.nesterov": False}
    if scale.is_paper and optimizer == "RMSProp":
        name["stage1.optimizer.rmsprop_epsilon"] = 1.0  # the authors' for stage 1
    return tuple({**name, "stage1.optimizer.lr": rate} for rate in _rates(scale, optimizer))


def _rates(scale: Scale, optimizer: str) -> tuple[float, ...]:
    """Learning rates around a usual one; at the paper's scale they are multiplied by batch size / 256."""
    if scale.is_paper:
        return {"LARS": (0.2, 0.4, 0.8), "RMSProp": (0.003, 0.01, 0.03), "Momentum": (0.03, 0.1, 0.3)}[optimizer]
    rates = {"LARS": (3.0, 10.0, 30.0), "RMSProp": (0.001, 0.003, 0.01), "Momentum": (0.03, 0.1, 0.3)}[optimizer]
    return rates[1:2] if scale.name == "smoke" else rates


def stage2_optimizers(scale: Scale, optimizer: str) -> tuple[Changes, ...]:
    """The changes that set the optimizer of stage 2: one usual rate, at the paper's scale several rates and the epochs
    of Supp. Table 8."""
    base = scale.base().stage2.optimizer
    changes: dict[str, object] = {"stage2.optimizer.name": OPTIMIZERS[optimizer], "stage2.optimizer.nesterov": False}
    if optimizer != "RMSProp":
        changes |= {"stage2.optimizer.schedule": "cosine", "stage2.optimizer.warmup_epochs": 0.0}
    if scale.is_paper:
        own = {} if base.name == OPTIMIZERS[optimizer] else changes
        rates = (0.015, 0.05, 0.15) if optimizer == "RMSProp" else (0.03, 0.1, 0.3)
        return tuple({**own, "stage2.epochs": 350, "stage2.optimizer.lr": rate} for rate in rates)
    if base.name == OPTIMIZERS[optimizer]:
        return ({},)
    # The authors' rate at batch 256 for RMSProp.
    return ({**changes, "stage2.optimizer.lr": {"RMSProp": 0.05, "LARS": 30.0, "Momentum": 1.0}[optimizer]},)
