"""What AutoAugment and RandAugment draw: the policies, the strengths, how often."""

from typing import Any, cast

import pytest
import torch
from torchvision import transforms
from torchvision.transforms import AutoAugmentPolicy

from supcon.views import AutoAugment, RandAugment
from supcon.views.config import PolicyName
from supcon.views.kernels.operations import NAMES, Operation, OperationName, describe_operation, torchvision_operation
from supcon.views.rand_augment import rand_augment_operations
from supcon.views.steps.policies import read_policy
from supcon.views.steps.policy_step import Operations

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


def test_authors_rand_augment_at_full_magnitude() -> None:
    operations = {op.name: op for op in rand_augment_operations(10, "authors")}
    assert list(operations) == list(NAMES)
    assert operations["shear-x"].spread == operations["shear-y"].spread == pytest.approx(0.3)
    assert operations["translate-x"].spread == operations["translate-y"].spread == pytest.approx(100 / 224)
    assert operations["rotate"].spread == 30
    enhance: tuple[OperationName, ...] = ("brightness", "contrast", "colour", "sharpness")
    for name in enhance:
        assert_strength(operations[name], name, centre=1.9)
    assert operations["posterize"].centre == 4
    assert operations["solarize"].centre == 0  # 256 as a byte: inverts everything
    assert operations["solarize-add"].centre == 110
    assert operations["cutout"].centre == pytest.approx(40 / 224)


@pytest.mark.parametrize("magnitude", [0, 9, 20, 30])
def test_torchvision_rand_augment_has_its_operations_and_strengths(magnitude: int) -> None:
    theirs: Any = transforms.RandAugment()._augmentation_space(31, (331, 331))
    operations = {op.name: op for op in rand_augment_operations(magnitude, "torchvision")}
    assert set(operations) == {THEIR_NAMES[name] for name in theirs}
    for their_name, (magnitudes, signed) in theirs.items():
        level = float(magnitudes[magnitude]) if magnitudes.ndim > 0 else 0.0
        check_strength(operations[cast(OperationName, THEIR_NAMES[their_name])], level, signed, 331)


def within(counts: torch.Tensor, expected: torch.Tensor) -> bool:
    """Whether counts of independent draws are within 4.5 standard deviations of what is expected."""
    return bool(((counts - expected).abs() <= 4.5 * expected.sqrt() + 1e-9).all())


@pytest.mark.parametrize("operations", ["authors", "torchvision"])
def test_rand_augment_draws_every_operation_alike(operations: Any) -> None:
    count = 30_000
    augmentation = RandAugment(layers=3, magnitude=9, operations=operations)
    drawn = augmentation.draw(count, 32, 32, torch.Generator().manual_seed(0))
    assert len(drawn) == 1
    everything = Operations(*drawn[0])
    assert everything.kinds.shape == everything.strengths.shape == (count, 3)
    expected = {op.name: op for op in rand_augment_operations(9, operations)}
    for kinds, strengths in zip(everything.kinds.t(), everything.strengths.t(), strict=True):
        used = kinds.bincount(minlength=len(NAMES))
        present = torch.tensor([name in expected for name in NAMES])
        assert torch.all(used[~present] == 0)
        assert within(used[present].double(), torch.full((len(expected),), count / len(expected)).double())
        for name, operation in expected.items():
            drawn_strengths = strengths[kinds == NAMES.index(name)]
            distance = (drawn_strengths - operation.centre).abs()
            assert torch.allclose(distance, torch.full_like(distance, operation.spread), atol=1e-5)
            if operation.spread:
                assert 0.4 < float((drawn_strengths > operation.centre).double().mean()) < 0.6
    first, second = everything.kinds[:, :2].t()
    assert float((first == second).double().mean()) == pytest.approx(1 / len(expected), abs=0.01)


@pytest.mark.parametrize("name", ["imagenet-v0", "imagenet", "cifar10", "svhn"])
def test_auto_augment_draws_by_its_policy(name: PolicyName) -> None:
    count = 50_000
    drawn = AutoAugment(name).draw(count, 32, 32, torch.Generator().manual_seed(0))
    kinds = Operations(*drawn[0]).kinds
    for layer in range(2):
        expected = torch.zeros(len(NAMES))
        for row in read_policy(name):
            operation, chance = row[layer]
            expected[NAMES.index(operation.name)] += count / 25 * chance
            expected[NAMES.index("identity")] += count / 25 * (1 - chance)
        assert within(kinds[:, layer].bincount(minlength=len(NAMES)).double(), expected.double())


def test_pairs_of_auto_augment_come_from_one_sub_policy() -> None:
    drawn = Operations(*AutoAugment("cifar10").draw(20_000, 32, 32, torch.Generator().manual_seed(1))[0])
    allowed = {tuple(op.name for op, _ in row) for row in read_policy("cifar10")}
    for first, second in drawn.kinds.unique(dim=0).tolist():
        if "identity" not in (NAMES[first], NAMES[second]):
            assert (NAMES[first], NAMES[second]) in allowed


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


@pytest.mark.parametrize(
    ("name", "strength", "words"),
    [
        ("shear-x", -0.3, "shear-x -0.30"),
        ("translate-y", 0.25, "translate-y 25 %"),
        ("rotate", 27.0, "rotate +27°"),
        ("colour", 1.72, "colour x 1.72"),
        ("posterize", 3.0, "posterize 3 bits"),
        ("solarize", 128.0, "solarize from 128"),
        ("solarize-add", 99.0, "solarize-add +99"),
        ("equalize", 0.0, "equalize"),
        ("cutout", 0.16, "cutout 16 %"),
    ],
)
def test_describe(name: OperationName, strength: float, words: str) -> None:
    assert describe_operation(name, strength) == words


def test_half_of_torchvisions_strength() -> None:
    assert torchvision_operation("posterize", 0.5).centre == 6
    assert torchvision_operation("solarize", 0.5).centre == 127.5
