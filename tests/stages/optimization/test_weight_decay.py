from typing import Any

import pytest
from timm.layers.filter_response_norm import FilterResponseNormTlu2d
from timm.layers.norm import LayerNorm2d, RmsNorm
from torch import nn

from supcon.encoder.small_resnet import SmallResNet
from supcon.stages.optimization.weight_decay import decay_groups


def names(modules: list[nn.Module], group: dict[str, Any]) -> set[str]:
    found = {id(p): name for module in modules for name, p in module.named_parameters()}
    return {found[id(p)] for p in group["params"]}


@pytest.mark.parametrize(
    ("decayed", "kinds"),
    [
        ("weights", {"weight"}),
        ("weights-and-biases", {"weight", "bias"}),
        ("all", {"weight", "bias", "scale", "shift"}),
    ],
)
def test_what_decays(decayed: Any, kinds: set[str]) -> None:
    network = nn.Sequential(nn.Conv2d(3, 4, 3), nn.BatchNorm2d(4), nn.GroupNorm(2, 4), nn.LayerNorm(4), nn.Linear(4, 2))
    kind = {"0.weight": "weight", "4.weight": "weight", "0.bias": "bias", "4.bias": "bias"}
    kind |= {f"{norm}.weight": "scale" for norm in (1, 2, 3)} | {f"{norm}.bias": "shift" for norm in (1, 2, 3)}
    decaying, rest = decay_groups([network], 1e-3, decayed)
    assert names([network], decaying) == {name for name in kind if kind[name] in kinds}
    assert names([network], rest) == {name for name in kind if kind[name] not in kinds}
    assert (decaying["weight_decay"], rest["weight_decay"]) == (1e-3, 0.0)
    assert (decaying["adapt"], rest["adapt"]) == (True, False)


def test_timms_own_norms_are_norms() -> None:
    network = nn.Sequential(RmsNorm(4), LayerNorm2d(4), FilterResponseNormTlu2d(4))
    decaying, _ = decay_groups([network], 1e-3, "weights-and-biases")
    assert decaying["params"] == []


def test_every_parameter_is_there_once_also_a_shared_one() -> None:
    shared = nn.Linear(16, 16)
    modules = [SmallResNet(1, 4), nn.Sequential(shared, shared), shared]
    found = [id(p) for group in decay_groups(modules, 1e-3, "weights") for p in group["params"]]
    assert len(found) == len(set(found))
    assert set(found) == {id(p) for module in modules for p in module.parameters()}


def test_frozen_parameters_are_left_out() -> None:
    frozen, head = nn.Linear(2, 2).requires_grad_(False), nn.Linear(2, 2)
    assert [len(group["params"]) for group in decay_groups([frozen, head], 0.0, "weights")] == [1, 1]
