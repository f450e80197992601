"""Stage 1 as the authors set it, and a check that a recipe does."""

from typing import NamedTuple

import pytest

from supcon.recipes import find_recipe
from supcon.stages.config import OptimizerConfig


def rate(optimizer: OptimizerConfig, batch_size: int) -> float:
    """The learning rate at a batch size."""
    return optimizer.lr * (batch_size / 256 if optimizer.lr_rule == "batch" else 1)


class AuthorsStage1(NamedTuple):
    """A row of the authors' settings."""

    recipe: str
    batch_size: int
    lr: float
    weight_decay: float
    epochs: int
    augmentation: str

    def check(self) -> None:
        recipe = find_recipe(self.recipe)
        optimizer = recipe.stage1.optimizer
        assert (recipe.stage1.batch_size, recipe.stage1.epochs) == (self.batch_size, self.epochs)
        assert rate(optimizer, self.batch_size) == pytest.approx(self.lr)
        assert optimizer.weight_decay == self.weight_decay
        assert recipe.views.augmentation == self.augmentation
