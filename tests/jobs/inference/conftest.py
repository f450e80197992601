from pathlib import Path

import numpy as np
import pytest
import torch
from PIL import Image
from torch import Tensor

from random_models import CLASSES, random_model, saved_run
from supcon.base.atomic_files import write_text, write_yaml
from supcon.data import load_data
from supcon.encoder import Encoder
from supcon.recipes import change_recipe, find_recipe, recipe_to_values
from supcon.runs import Run


@pytest.fixture
def photos(tmp_path: Path) -> Path:
    """Forty images of four classes; the colour tells the class."""
    folder = tmp_path / "photos"
    generator = np.random.default_rng(0)
    for number, name in enumerate(CLASSES):
        for at in range(10):
            pixels = generator.integers(0, 60, (20, 24, 3), dtype=np.uint8)
            pixels[:, :, number % 3] += np.uint8(100 + 60 * (number // 3))
            path = folder / ("train" if at < 7 else "test") / name.replace("/", "") / f"{at}.png"
            path.parent.mkdir(parents=True, exist_ok=True)
            Image.fromarray(pixels).save(path)
    return folder


@pytest.fixture
def run(tmp_path: Path, photos: Path) -> Run:
    """A finished run with random weights that was "trained" on the photos."""
    recipe = change_recipe(find_recipe("folder"), {"data.spec": str(photos), "data.image_size": 14})
    data = load_data(recipe.data)
    model = random_model(class_names=data.class_names, stored_size=data.stored_size)
    run = saved_run(tmp_path / "run", model)
    write_yaml(run.recipe_file, recipe_to_values(recipe))
    write_text(run.splits_file, data.split_table)
    return run


@pytest.fixture
def mean_colours(monkeypatch: pytest.MonkeyPatch) -> None:
    """An encoder that separates the photos, without a training."""

    def colours(self: Encoder, images: Tensor) -> Tensor:
        means = images.float().mean((2, 3))
        return torch.nn.functional.normalize(torch.cat([means - 80, means.new_zeros(len(means), 29)], 1), dim=1)

    monkeypatch.setattr(Encoder, "forward", colours)
