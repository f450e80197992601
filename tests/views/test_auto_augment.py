"""AutoAugment: no view is empty, and views have torchvision's distribution."""

from typing import Any

import pytest
import torch
from torchvision.transforms import v2

from references.torchvision_pipelines import assert_same_distribution
from supcon.views import AutoAugment
from supcon.views.config import PolicyName
from supcon.views.kernels.operations import NAMES
from supcon.views.steps.policies import read_policy
from supcon.views.steps.policy_step import Operations


def seeded(seed: int = 0) -> torch.Generator:
    return torch.Generator().manual_seed(seed)


def test_v0_leaves_no_view_empty(photos: Any) -> None:
    """With a flat fill, translate-y by 225 of 224 pixels would leave 3 % of all views without a picture."""
    views = AutoAugment("imagenet-v0")(photos(1, 3, 32, 32).expand(600, -1, -1, -1), generator=seeded())
    assert int((views.flatten(1).float().std(dim=1) == 0).sum()) == 0


@pytest.mark.parametrize(
    ("name", "theirs"), [("imagenet", v2.AutoAugmentPolicy.IMAGENET), ("cifar10", v2.AutoAugmentPolicy.CIFAR10)]
)
def test_distributed_as_torchvisions_pipeline(name: Any, theirs: Any, photos: Any) -> None:
    assert_same_distribution(AutoAugment(name), [v2.AutoAugment(theirs)], photos(1, 3, 32, 32)[0])


def within(counts: torch.Tensor, expected: torch.Tensor) -> bool:
    """Whether counts of independent draws are within 4.5 standard deviations of what is expected."""
    return bool(((counts - expected).abs() <= 4.5 * expected.sqrt() + 1e-9).all())


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
