"""Models with random weights, for tests that only need some model."""

from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from PIL import Image
from torch import nn

from supcon.base.atomic_files import write_json, write_yaml
from supcon.runs import Run, create_run
from supcon.serving import Model, ModelCard, save_model

CLASSES = ("a b", "É", "漢字", '<i>"x"')


def card(**changes: Any) -> ModelCard:
    values: dict[str, Any] = {
        "recipe": "folder",
        "method": "supcon",
        "data": "photos",
        "class_names": CLASSES,
        "channels": 3,
        "image_size": 14,
        "stored_size": 16,
        "mean": (0.4, 0.5, 0.6),
        "std": (0.2, 0.25, 0.3),
        "counts": {"train": 10, "validation": 2, "test": 3},
        "encoder": {"name": "small-resnet", "stem": "auto", "width": 8, "normalize_representation": True},
    }
    return ModelCard(**(values | changes))


def random_model(**changes: Any) -> Model:
    """Random weights, norms and averages: nothing is left at a value that a fresh model would have."""
    torch.manual_seed(0)
    described = card(**changes)
    encoder = described.make_encoder()
    for tensor in encoder.network.state_dict().values():
        if tensor.is_floating_point():
            tensor.uniform_(0.2, 1.0)
    return Model(encoder, nn.Linear(encoder.width, len(CLASSES)), described)


def saved_run(folder: Path, model: Model | None = None) -> Run:
    """A finished run with this model."""
    run = create_run(folder)
    write_yaml(run.recipe_file, {"recipe": "folder"})
    save_model(run, model or random_model())
    write_json(run.evaluation_file, {})
    return run


def pixels(count: int = 5, height: int = 16, width: int = 16, channels: int = 3) -> NDArray[np.uint8]:
    return np.random.default_rng(0).integers(0, 256, (count, channels, height, width), dtype=np.uint8)


def photo_folder(folder: Path) -> Path:
    """Four image files in a new folder."""
    folder.mkdir()
    for at, image in enumerate(pixels(4, 30, 20)):
        Image.fromarray(image.transpose(1, 2, 0)).save(folder / f"{at}.png")
    return folder
