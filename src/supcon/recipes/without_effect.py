"""Finds values that have no effect because of another choice, such as a blur that the augmentation does not use."""

import sys
from collections.abc import Container, Mapping
from dataclasses import dataclass, fields
from typing import Any

from supcon.recipes.change import flat_values
from supcon.recipes.convert import recipe_to_values
from supcon.recipes.recipe import METHODS, Recipe
from supcon.stages import OptimizerConfig

_CONTRASTIVE = {name for name, method in METHODS.items() if method.contrastive}
_TWO_STAGES = {name for name, method in METHODS.items() if method.stage2}
_STAGE2_ONLY = ("epochs", "batch_size", "views.", "sampler", "cached", "batch_norm", "encoder_lr")
_OWN_OF_CLASSIFIER = ("lr", "lr_rule", "weight_decay")
_OPTIMIZER_ONLY = tuple(field.name for field in fields(OptimizerConfig) if field.name not in _OWN_OF_CLASSIFIER)
_SIM = {"sim-augment", "stacked-rand-augment"}
_RAND = {"rand-augment", "stacked-rand-augment"}


@dataclass(frozen=True)
class _Rule:
    """The values `names` are used only if the value of `choice` is one of `users`."""

    names: tuple[str, ...]
    """Full names, or beginnings that end with a point or an underscore."""
    choice: str
    users: Container[Any]

    def is_about(self, name: str) -> bool:
        return any(name == some or (some[-1] in "._" and name.startswith(some)) for some in self.names)


def _views(group: str) -> list[_Rule]:
    choice = f"{group}.augmentation"
    sim = ("jitter_", "brightness", "contrast", "saturation", "hue", "grey_", "warp_", "blur_")
    return [
        _Rule(tuple(f"{group}.{name}" for name in sim), choice, _SIM),
        _Rule((f"{group}.rand_augment_",), choice, _RAND),
        _Rule((f"{group}.auto_augment_policy",), choice, {"auto-augment"}),
        _Rule((f"{group}.stacked_order",), choice, {"stacked-rand-augment"}),
    ]


def _optimizer(group: str) -> list[_Rule]:
    return [
        _Rule((f"{group}.momentum",), f"{group}.name", {"lars", "rmsprop", "sgd"}),
        _Rule((f"{group}.nesterov",), f"{group}.name", {"sgd"}),
        _Rule((f"{group}.lars_",), f"{group}.name", {"lars"}),
        _Rule((f"{group}.rmsprop_",), f"{group}.name", {"rmsprop"}),
        _Rule((f"{group}.lr_end",), f"{group}.schedule", {"cosine"}),
        _Rule((f"{group}.decay_rate",), f"{group}.schedule", {"exponential", "step"}),
        _Rule((f"{group}.decay_every",), f"{group}.schedule", {"exponential"}),
        _Rule((f"{group}.decay_at",), f"{group}.schedule", {"step"}),
    ]


_RULES = [
    _Rule(("encoder.width", "encoder.stride"), "encoder.name", {"small-resnet"}),
    _Rule(("loss.", "projection."), "method", _CONTRASTIVE),
    _Rule(("loss.queue_momentum",), "loss.queue_size", range(1, sys.maxsize)),
    _Rule(("loss.anchors",), "views.count", range(2, sys.maxsize)),
    _Rule(("stage1.margin",), "method", {"large-margin"}),
    _Rule(("stage1.learn_from",), "method", set(METHODS) - _CONTRASTIVE),
    _Rule(tuple(f"stage2.{name}" for name in _STAGE2_ONLY), "method", _TWO_STAGES),
    # The classifier of `joint` is trained by the optimizer of stage 1, with a rate and a weight decay of its own.
    _Rule(("stage2.optimizer.",), "method", _TWO_STAGES | {"joint"}),
    _Rule(tuple(f"stage2.optimizer.{name}" for name in _OPTIMIZER_ONLY), "method", _TWO_STAGES),
    _Rule(("stage2.label_smoothing",), "method", _TWO_STAGES | {"joint"}),
    _Rule(("loss.max_positives",), "method", {name for name in _CONTRASTIVE if METHODS[name].labelled}),
    _Rule(("stage1.frozen_statistics",), "encoder.norm", {"batch"}),
    _Rule(("stage1.images_per_class",), "stage1.sampler", {"m-per-class"}),
    _Rule(("stage2.views.",), "stage2.cached", {False}),
    _Rule(("mix.alpha", "mix.probability"), "mix.method", {"mixup", "cutmix"}),
    _Rule(("projection.hidden_", "projection.batch_norm"), "projection.kind", {"mlp"}),
    _Rule(("projection.width",), "projection.kind", {"mlp", "linear"}),
    *_views("views"),
    *_views("stage2.views"),
    *_optimizer("stage1.optimizer"),
    *_optimizer("stage2.optimizer"),
]


def unused_values(recipe: Recipe, base: Recipe) -> list[str]:
    """A sentence for every value that differs from `base` and has no effect.

    >>> from supcon.recipes import change_recipe, find_recipe
    >>> base = find_recipe("digits")
    >>> unused_values(change_recipe(base, {"views.augmentation": "crop-flip", "views.hue": 0.1}), base)
    ['views.hue has no effect with views.augmentation crop-flip.']
    """
    values, before = (flat_values(recipe_to_values(one)) for one in (recipe, base))
    changed = [name for name in values if values[name] != before[name]]
    found = ((name, _unused_because(name, values)) for name in changed)
    return [f"{name} has no effect with {choice} {values[choice]}." for name, choice in found if choice]


def _unused_because(name: str, values: Mapping[str, Any]) -> str | None:
    """The name of the choice that makes the value ineffective; None if it is used."""
    rules = (rule for rule in _RULES if rule.is_about(name) and values[rule.choice] not in rule.users)
    return next((rule.choice for rule in rules), None)
