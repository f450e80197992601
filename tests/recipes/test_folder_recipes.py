"""The recipes for any folder: the authors' values for CIFAR, scaled to their batch size."""

from dataclasses import replace

import pytest

from supcon.data import DataConfig
from supcon.recipes import find_recipe


def test_rates_are_the_authors_scaled_to_the_batch() -> None:
    folder, authors = find_recipe("folder"), find_recipe("cifar10-resnet50")
    for ours, theirs in ((folder.stage1, authors.stage1), (folder.stage2, authors.stage2)):
        expected = theirs.optimizer.lr * ours.batch_size / theirs.batch_size
        assert ours.optimizer.lr == pytest.approx(expected)
    baseline, theirs_too = find_recipe("folder-cross-entropy").stage1, find_recipe("cifar10-resnet50-cross-entropy")
    scaled = theirs_too.stage1.optimizer.lr * baseline.batch_size / theirs_too.stage1.batch_size
    assert baseline.optimizer.lr == pytest.approx(scaled)


def test_no_data_is_named() -> None:
    """The command's DATA decides."""
    assert find_recipe("folder").data == find_recipe("folder-simclr").data
    assert find_recipe("folder").data.image_size is None


@pytest.mark.parametrize("variant", ["", "-simclr", "-cross-entropy"])
def test_the_small_one_has_the_values_of_cifar10_small_and_no_data(variant: str) -> None:
    small = find_recipe(f"folder-small{variant}")
    assert small == replace(find_recipe(f"cifar10-small{variant}"), name=small.name, data=DataConfig())
