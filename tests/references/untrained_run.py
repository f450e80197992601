"""A finished run whose weights are random, for tests of what is done with a model."""

from pathlib import Path

import torch
from torch import nn

from supcon.base.atomic_files import write_json, write_text, write_yaml
from supcon.data import load_data
from supcon.recipes import find_recipe, recipe_to_values
from supcon.runs import create_run
from supcon.serving import Model, ModelCard, save_model


def untrained_digits(folder: Path) -> Path:
    """The folder of a run on the digits, with its splits."""
    recipe = find_recipe("digits")
    data, run = load_data(recipe.data, recipe.seed), create_run(folder)
    card = ModelCard(
        recipe="digits",
        method="supcon",
        data="digits",
        class_names=data.class_names,
        channels=data.channels,
        image_size=data.image_size,
        stored_size=data.stored_size,
        mean=data.mean,
        std=data.std,
        counts=data.counts,
        encoder={"name": "small-resnet", "width": 8},
    )
    torch.manual_seed(0)
    encoder = card.make_encoder()
    save_model(run, Model(encoder, nn.Linear(encoder.width, len(data.class_names)), card))
    write_text(run.splits_file, data.split_table)
    write_json(run.evaluation_file, {"test/top1": 0.1})
    write_yaml(run.recipe_file, recipe_to_values(recipe))
    return folder
