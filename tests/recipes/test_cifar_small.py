"""The small recipes for CIFAR-10."""

from dataclasses import replace

import pytest

from supcon.recipes import find_recipe


def test_supcon_has_one_weak_view_and_simclr_the_papers_two() -> None:
    small, simclr, paper = (find_recipe(f"cifar10-{name}") for name in ("small", "small-simclr", "resnet50"))
    assert small.views == replace(paper.views, augmentation="crop-flip", crop_area=(0.5, 1.0), count=1)
    assert simclr.views == find_recipe("cifar10-500").views == paper.views
    assert (small.projection.kind, simclr.projection.kind) == ("none", "mlp")
    assert small.encoder.centre_representation
    for one in (small, simclr):
        assert one.views.count * one.stage1.batch_size == 256
        assert one.views.count * one.stage1.epochs == 20
        assert one.stage1.optimizer.warmup_epochs == one.stage1.epochs / 10


@pytest.mark.parametrize("name", ["cifar10-small", "cifar10-500"])
def test_cross_entropy_has_the_same_budget(name: str) -> None:
    supcon, baseline = find_recipe(name), find_recipe(name, "cross-entropy")
    assert baseline.data == supcon.data
    assert baseline.views == supcon.views
    assert (baseline.stage1.epochs, baseline.stage1.batch_size) == (supcon.stage1.epochs, supcon.stage1.batch_size)
    assert (baseline.encoder.width, baseline.encoder.stride) == (supcon.encoder.width, supcon.encoder.stride)
    assert not baseline.encoder.normalize_representation
    assert not baseline.encoder.centre_representation


def test_reduced_data_has_half_of_the_steps() -> None:
    small, reduced = find_recipe("cifar10-small"), find_recipe("cifar10-500")
    steps = 10 * 500 // reduced.stage1.batch_size * reduced.stage1.epochs
    assert 0.4 < steps / (45_000 // small.stage1.batch_size * small.stage1.epochs) < 0.5
    assert reduced.encoder == small.encoder
    assert reduced.loss.temperature > small.loss.temperature
