"""What the page's script knows about the test images and their nearest training images."""

from collections.abc import Sequence
from typing import Any

from supcon.report.plots.figure import numbers
from supcon.report.plots.thumbnails import Sprite
from supcon.report.run_results import RunResults
from supcon.report.training_images import TrainingImages


def image_data(results: RunResults, sprite: Sprite, training_sprite: Sprite) -> dict[str, Any]:
    """Every test image with label, prediction, confidence and name; those with a thumbnail also have neighbours."""
    outputs = results.outputs
    return {
        "classes": results.class_names,
        "labels": outputs.labels.tolist(),
        "predicted": outputs.predicted.tolist(),
        "confidence": numbers(outputs.confidence, 4),
        "names": _names(outputs.names),
        "shown": outputs.thumbnail_index.tolist(),
        "sheet": sprite.grid(),
        "map": outputs.map_index.tolist(),
        "training": None if results.training is None else _training(results.training, training_sprite),
    }


def _training(training: TrainingImages, sprite: Sprite) -> dict[str, Any]:
    return {
        "labels": training.labels.tolist(),
        "names": _names(training.names),
        "thumbnails": len(training.thumbnails),
        "sheet": sprite.grid(),
        "nearest": training.nearest.tolist(),
        "similarity": [numbers(row, 4) for row in training.similarity],
    }


def _names(names: Sequence[str]) -> list[str] | None:
    """Names of files; images of an array only have numbers, which the page knows."""
    return None if all(name.isdecimal() for name in names) else list(names)
