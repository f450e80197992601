"""RandAugment: every operation is drawn, and views have torchvision's distribution."""

from typing import Any

import pytest
import torch
from torchvision.transforms import v2

from references.torchvision_pipelines import assert_same_distribution
from supcon.views import RandAugment
from supcon.views.kernels.operations import NAMES, Operation, OperationName
from supcon.views.rand_augment import rand_augment_operations
from supcon.views.steps.policy_step import Operations


def seeded(seed: int = 0) -> torch.Generator:
    return torch.Generator().manual_seed(seed)


def test_all_kinds_were_drawn() -> None:
    drawn = Operations(*RandAugment(1, 9).draw(400, 32, 32, seeded())[0])
    assert len(drawn.kinds.unique()) == len(NAMES)


def test_distributed_as_torchvisions_pipeline(photos: Any) -> None:
    ours = RandAugment(2, 9, operations="torchvision")
    assert_same_distribution(ours, [v2.RandAugment(2, 9)], photos(1, 3, 32, 32)[0])


def assert_strength(operation: Operation, name: str, centre: float = 0.0, spread: float = 0.0) -> None:
    assert operation.name == name
    assert operation.centre == pytest.approx(centre)
    assert operation.spread == pytest.approx(spread)


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
