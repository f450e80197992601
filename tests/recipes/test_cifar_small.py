"""The small recipes for CIFAR-10."""

from supcon.recipes import find_recipe


def test_supcon_has_the_views_of_the_papers_recipe_and_no_projection() -> None:
    small, paper = find_recipe("cifar10-small"), find_recipe("cifar10-resnet50")
    assert small.views == paper.views
    assert small.projection.kind == "none"
    assert small.encoder.centre_representation
    assert find_recipe("cifar10-small-simclr").projection.kind == "mlp"


def test_cross_entropy_has_the_same_budget() -> None:
    supcon, baseline = find_recipe("cifar10-small"), find_recipe("cifar10-small-cross-entropy")
    assert baseline.views == supcon.views
    assert (baseline.stage1.epochs, baseline.stage1.batch_size) == (supcon.stage1.epochs, supcon.stage1.batch_size)
    assert (baseline.encoder.width, baseline.encoder.stride) == (supcon.encoder.width, supcon.encoder.stride)
    assert not baseline.encoder.normalize_representation
    assert not baseline.encoder.centre_representation
