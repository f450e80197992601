"""Data and settings of a run that are checked before it trains."""

from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from supcon.base.errors import RequestError
from supcon.jobs.planning.prepare_run import make_plan
from supcon.recipes import Recipe, change_recipe, find_recipe


@pytest.fixture(scope="module")
def mostly_unlabelled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """40 training images with labels and 400 without."""
    root, random = tmp_path_factory.mktemp("mostly unlabelled"), np.random.default_rng(0)
    counts = {"train/a": 20, "train/b": 20, "train/unlabelled": 400, "val/a": 2, "val/b": 2, "test/a": 2, "test/b": 2}
    for name, count in counts.items():
        (root / name).mkdir(parents=True)
        for number in range(count):
            pixels = random.integers(0, 256, (8, 8, 3), dtype=np.uint8)
            Image.fromarray(pixels).save(root / name / f"{number}.png")
    return root


def recipe(root: Path, name: str, **changes: object) -> Recipe:
    small = {"data.spec": str(root), "encoder.name": "small-resnet", "encoder.width": 8, "device": "cpu"}
    return change_recipe(find_recipe(name), {**small, **changes})


def printed(capsys: pytest.CaptureFixture[str]) -> str:
    """What was printed, without line breaks."""
    return " ".join(capsys.readouterr().err.split())


def test_a_contrastive_batch_may_be_larger_than_the_number_of_labelled_images(
    mostly_unlabelled: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    plan = make_plan(recipe(mostly_unlabelled, "folder"), None, ())
    assert plan.data.counts == {"train": 40, "validation": 4, "test": 4, "unlabelled": 400}
    assert (plan.recipe.stage1.batch_size, plan.recipe.stage2.batch_size) == (64, 8)
    assert "64 images, 2 views of each; the recipe's 256 are too many for 440 training images" in printed(capsys)


def test_a_classifier_needs_labelled_images(mostly_unlabelled: Path, capsys: pytest.CaptureFixture[str]) -> None:
    plan = make_plan(recipe(mostly_unlabelled, "folder-cross-entropy"), None, ())
    assert plan.recipe.stage1.batch_size == 8
    assert "too many for 40 training images" in printed(capsys)
    with pytest.raises(RequestError, match=r"^The batch size 64 is larger than the training set of 40 images"):
        make_plan(recipe(mostly_unlabelled, "folder", batch_size=64), None, {"stage2.batch_size"})
