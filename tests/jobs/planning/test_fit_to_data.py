from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from supcon.base.errors import RequestError
from supcon.data import DataConfig, ListedData, list_data
from supcon.jobs.planning.fit_to_data import fit_to_data
from supcon.recipes import Recipe, change_recipe, find_recipe


def folder(root: Path, images: int, side: int) -> ListedData:
    """Two classes of `images` each to train on, with one to validate and one to test."""
    for split, count in (("train", images), ("val", 1), ("test", 1)):
        for name in ("ants", "bees"):
            (root / split / name).mkdir(parents=True)
            for number in range(count):
                Image.fromarray(np.full((side, side, 3), number, dtype=np.uint8)).save(
                    root / split / name / f"{number}.png"
                )
    return list_data(DataConfig(spec=str(root)))


def fitted(listed: ListedData, changes: dict[str, Any] | None = None, name: str = "folder", **more: Any) -> Recipe:
    recipe = change_recipe(find_recipe(name), {"data.spec": listed.config.spec, **(changes or {})})
    return fit_to_data(recipe, listed.with_config(recipe.data), set(changes or {}), **more)[0]


def test_a_batch_that_is_too_large_shrinks_with_its_learning_rate(tmp_path: Path) -> None:
    asked, recipe = find_recipe("folder"), fitted(folder(tmp_path, 40, 20))
    assert recipe.stage1.batch_size == recipe.stage2.batch_size == 16  # the largest power of two up to 80 / 4
    assert recipe.stage1.optimizer.lr == asked.stage1.optimizer.lr * 16 / 256
    assert recipe.stage2.optimizer.lr == asked.stage2.optimizer.lr * 16 / 256


def test_a_learning_rate_that_follows_the_batch_by_itself_stays(tmp_path: Path) -> None:
    recipe = fitted(folder(tmp_path, 40, 20), {"stage1.optimizer.lr_rule": "batch"})
    assert recipe.stage1.optimizer.lr == find_recipe("folder").stage1.optimizer.lr


def test_a_batch_that_fits_stays(tmp_path: Path) -> None:
    recipe = fitted(folder(tmp_path, 40, 20), {"stage1.batch_size": 20, "stage1.optimizer.lr": 0.3})
    assert (recipe.stage1.batch_size, recipe.stage1.optimizer.lr) == (20, 0.3)


def test_what_the_user_gave_is_never_changed(tmp_path: Path) -> None:
    changes = {"stage1.batch_size": 64, "data.image_size": 160, "encoder.stem": "small", "data.hold": "decode"}
    recipe = fitted(folder(tmp_path, 40, 200), changes)
    assert (recipe.stage1.batch_size, recipe.data.image_size) == (64, 160)
    assert (recipe.encoder.stem, recipe.data.hold) == ("small", "decode")


def test_a_batch_of_the_users_that_cannot_work_is_refused(tmp_path: Path) -> None:
    listed = folder(tmp_path, 40, 20)
    with pytest.raises(RequestError, match=r"^The batch size 81 is larger than the training set of 80 images; "):
        fitted(listed, {"stage1.batch_size": 81})


def test_processes_share_a_batch_evenly(tmp_path: Path) -> None:
    recipe = fitted(folder(tmp_path, 40, 20), {"stage1.batch_size": 6, "hardware.devices": 3, "stage2.batch_size": 6})
    assert recipe.stage1.batch_size == 6
    recipe = change_recipe(find_recipe("folder"), {"hardware.devices": 4, "data.spec": str(tmp_path)})
    assert fit_to_data(recipe, list_data(recipe.data))[0].stage1.batch_size % 4 == 0


def test_auto_and_none_become_what_they_stand_for(tmp_path: Path) -> None:
    recipe = fitted(folder(tmp_path, 4, 32))
    assert (recipe.data.image_size, recipe.data.hold, recipe.encoder.stem) == (32, "memory", "small")


def test_large_photographs_are_made_smaller_where_a_cpu_starts_from_scratch(tmp_path: Path) -> None:
    listed = folder(tmp_path, 4, 160)
    cpu, gpu = fitted(listed), fitted(listed, on_gpu=True)
    assert (cpu.data.image_size, cpu.encoder.stem) == (96, "imagenet")
    assert gpu.data.image_size == 160
    assert fitted(listed, {"encoder.name": "timm:resnet10t"}).data.image_size == 160


def test_images_that_do_not_fit_in_memory_are_held_elsewhere(tmp_path: Path) -> None:
    listed = folder(tmp_path, 4, 32)
    assert fitted(listed, {"data.memory_limit": 1e-6}).data.hold == "cache"
