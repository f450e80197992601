"""What AutoAugment and RandAugment draw: the policies, the strengths, how often."""

from typing import Any, cast

import pytest
from torchvision import transforms
from torchvision.transforms import AutoAugmentPolicy

from supcon.views import AutoAugment, RandAugment
from supcon.views.config import PolicyName
from supcon.views.kernels.operations import Operation, OperationName
from supcon.views.rand_augment import rand_augment_operations
from supcon.views.steps.policies import read_policy

THEIR_NAMES = {
    "ShearX": "shear-x",
    "ShearY": "shear-y",
    "TranslateX": "translate-x",
    "TranslateY": "translate-y",
    "Rotate": "rotate",
    "Brightness": "brightness",
    "Contrast": "contrast",
    "Color": "colour",
    "Sharpness": "sharpness",
    "Posterize": "posterize",
    "Solarize": "solarize",
    "AutoContrast": "autocontrast",
    "Equalize": "equalize",
    "Invert": "invert",
    "Identity": "identity",
}


def check_strength(operation: Operation, magnitude: float, signed: bool, side: int) -> None:
    """`magnitude` is what torchvision's own table holds for images of that side."""
    name = operation.name
    if name.startswith("translate"):
        magnitude /= side
    if name in ("brightness", "contrast", "colour", "sharpness"):
        assert operation.centre == 1
        assert operation.spread == pytest.approx(magnitude)
    elif signed:
        assert operation.centre == 0
        assert operation.spread == pytest.approx(magnitude)
    else:
        assert operation.spread == 0
        assert operation.centre == pytest.approx(magnitude)


@pytest.mark.parametrize("name", ["imagenet", "cifar10", "svhn"])
def test_policies_are_torchvisions(name: PolicyName) -> None:
    theirs: Any = transforms.AutoAugment(AutoAugmentPolicy(name))
    space = theirs._augmentation_space(10, (331, 331))
    policy = read_policy(name)
    assert len(policy) == len(theirs.policies) == 25
    for ours, other in zip(policy, theirs.policies, strict=True):
        for (operation, chance), (their_name, their_chance, level) in zip(ours, other, strict=True):
            assert operation.name == THEIR_NAMES[their_name]
            assert chance == their_chance
            magnitudes, signed = space[their_name]
            check_strength(operation, float(magnitudes[level]) if level is not None else 0.0, signed, 331)


def assert_strength(operation: Operation, name: str, centre: float = 0.0, spread: float = 0.0) -> None:
    assert operation.name == name
    assert operation.centre == pytest.approx(centre)
    assert operation.spread == pytest.approx(spread)


def test_v0_is_the_policy_of_the_tf_models() -> None:
    policy = read_policy("imagenet-v0")
    assert len(policy) == 25
    assert [[op.name for op, _ in row] for row in (policy[0], policy[6], policy[15])] == [
        ["equalize", "shear-y"],
        ["equalize", "solarize-add"],
        ["rotate", "translate-y"],
    ]
    assert_strength(policy[0][1][0], "shear-y", spread=0.12)
    assert_strength(policy[6][1][0], "solarize-add", centre=33)
    assert_strength(policy[12][0][0], "posterize", centre=2)
    assert_strength(policy[15][1][0], "translate-y", spread=225 / 224)
    assert_strength(policy[22][0][0], "posterize", centre=1)
    assert_strength(policy[22][1][0], "solarize", centre=0)  # 256 as a byte
    assert_strength(policy[24][0][0], "colour", centre=1.18)
    assert [chance for _, chance in policy[24]] == [0.8, 0.4]
    # Totals over the whole table, so that no other entry can go wrong unseen.
    assert sum(chance for row in policy for _, chance in row) == pytest.approx(29.8)
    assert sum(op.name == "equalize" for row in policy for op, _ in row) == 12


@pytest.mark.parametrize("magnitude", [0, 9, 20, 30])
def test_torchvision_rand_augment_has_its_operations_and_strengths(magnitude: int) -> None:
    theirs: Any = transforms.RandAugment()._augmentation_space(31, (331, 331))
    operations = {op.name: op for op in rand_augment_operations(magnitude, "torchvision")}
    assert set(operations) == {THEIR_NAMES[name] for name in theirs}
    for their_name, (magnitudes, signed) in theirs.items():
        level = float(magnitudes[magnitude]) if magnitudes.ndim > 0 else 0.0
        check_strength(operations[cast(OperationName, THEIR_NAMES[their_name])], level, signed, 331)


def test_nonsense_is_refused(types_unchecked: None) -> None:
    unknown: Any = "v9"
    with pytest.raises(ValueError, match=r"AutoAugment's policy must be one of imagenet-v0, .*, got 'v9'; choose one"):
        AutoAugment(unknown)
    with pytest.raises(
        ValueError, match=r"RandAugment's magnitude, with the authors operations, must be between 0 and 10"
    ):
        RandAugment(magnitude=12)
    with pytest.raises(
        ValueError, match=r"RandAugment's magnitude, with the torchvision operations, must be between 0 and"
    ):
        RandAugment(magnitude=-1, operations="torchvision")
    with pytest.raises(ValueError, match=r"RandAugment's layers must be at least 1, got 0"):
        RandAugment(layers=0)
    with pytest.raises(ValueError, match=r"RandAugment's operations must be one of authors, torchvision, got 'v9'"):
        RandAugment(operations=unknown)
