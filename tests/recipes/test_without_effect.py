from dataclasses import replace
from typing import Any

import pytest

from supcon.recipes.change import change_recipe, flat_values
from supcon.recipes.convert import recipe_to_values
from supcon.recipes.find import RECIPES, find_recipe
from supcon.recipes.recipe import Method
from supcon.recipes.without_effect import _RULES, unused_values


@pytest.mark.parametrize(
    ("changes", "name", "choice"),
    [
        (
            {"views.augmentation": "auto-augment", "views.blur_probability": 0.3},
            "views.blur_probability",
            "auto-augment",
        ),
        ({"views.auto_augment_policy": "svhn"}, "views.auto_augment_policy", "sim-augment"),
        ({"stage2.views.rand_augment_layers": 3}, "stage2.views.rand_augment_layers", "crop-flip"),
        ({"stage1.optimizer.name": "adamw", "stage1.optimizer.momentum": 0.5}, "stage1.optimizer.momentum", "adamw"),
        ({"stage1.optimizer.decay_every": 2.0}, "stage1.optimizer.decay_every", "cosine"),
        ({"projection.kind": "none", "projection.width": 64}, "projection.width", "none"),
        ({"mix.alpha": 0.3}, "mix.alpha", "none"),
        ({"stage1.images_per_class": 2}, "stage1.images_per_class", "plain"),
        ({"loss.queue_momentum": 0.9}, "loss.queue_momentum", "loss.queue_size 0"),
        ({"loss.anchors": "first_view", "views.count": 1}, "loss.anchors", "views.count 1"),
        ({"encoder.name": "resnet18", "encoder.width": 8}, "encoder.width", "encoder.name resnet18"),
        ({"encoder.name": "timm:resnet10t", "encoder.stride": 2}, "encoder.stride", "timm:resnet10t"),
        (
            {"encoder.name": "small-resnet", "encoder.norm": "group", "stage1.frozen_statistics": True},
            "stage1.frozen_statistics",
            "encoder.norm group",
        ),
    ],
)
def test_a_value_without_effect_is_named_with_the_reason(changes: dict[str, Any], name: str, choice: str) -> None:
    base = find_recipe("folder")
    (sentence,) = unused_values(change_recipe(base, changes), base)
    assert sentence.startswith(f"{name} has no effect with ")
    assert sentence.endswith(f" {choice}.")


def test_a_loss_has_no_effect_on_cross_entropy() -> None:
    base = find_recipe("folder", "cross-entropy")
    changed = change_recipe(base, {"loss.temperature": 0.5, "stage2.epochs": 3})
    assert unused_values(changed, base) == [
        "loss.temperature has no effect with method cross-entropy.",
        "stage2.epochs has no effect with method cross-entropy.",
    ]


@pytest.mark.parametrize("method", ["cross-entropy", "large-margin", "joint"])
def test_stage_2_has_no_effect_on_methods_of_one_stage(method: Method) -> None:
    base = find_recipe("folder", method)
    changed = change_recipe(base, {"stage2.encoder_lr": 0.01, "stage2.sampler": "class-balanced"})
    assert unused_values(changed, base) == [
        f"stage2.sampler has no effect with method {method}.",
        f"stage2.encoder_lr has no effect with method {method}.",
    ]


def test_the_classifier_of_joint_has_a_rate_and_a_weight_decay_of_its_own() -> None:
    base = find_recipe("folder", "joint")
    used = {"stage2.optimizer.lr": 0.7, "stage2.optimizer.weight_decay": 0.3, "stage2.label_smoothing": 0.1}
    assert unused_values(change_recipe(base, used), base) == []
    changed = change_recipe(base, {"stage2.optimizer.name": "lars"})
    assert unused_values(changed, base) == ["stage2.optimizer.name has no effect with method joint."]


def test_a_cap_has_no_effect_without_labels() -> None:
    base = find_recipe("folder", "simclr")
    changed = change_recipe(base, {"loss.max_positives": 3})
    assert unused_values(changed, base) == ["loss.max_positives has no effect with method simclr."]


@pytest.mark.parametrize(
    "changes",
    [
        {"loss.queue_size": 64, "loss.queue_momentum": 0.9},
        {"encoder.name": "small-resnet", "encoder.width": 8, "encoder.stride": 2},
        {"encoder.name": "resnet18", "encoder.width_multiplier": 2},
    ],
)
def test_queue_and_encoder_values_that_are_used(changes: dict[str, Any]) -> None:
    base = find_recipe("folder")
    assert unused_values(change_recipe(base, changes), base) == []


def test_values_that_are_used_are_not_mentioned() -> None:
    base = find_recipe("folder")
    changes = {"views.blur_probability": 0.3, "stage1.optimizer.momentum": 0.8, "loss.temperature": 0.2, "epochs": 3}
    assert unused_values(change_recipe(base, changes), base) == []


@pytest.mark.parametrize("name", RECIPES)
def test_every_rule_names_values_that_exist(name: str) -> None:
    known = flat_values(recipe_to_values(find_recipe(name)))
    for rule in _RULES:
        assert rule.choice in known
        assert all(any(replace(rule, names=(some,)).is_about(value) for value in known) for some in rule.names)
