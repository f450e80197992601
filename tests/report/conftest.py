"""Runs to report on: the digits with a logistic regression in the classifier's place, and made-up ones of any size."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from sklearn.datasets import load_digits
from sklearn.decomposition import PCA
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split
from sklearn.neighbors import NearestNeighbors

from supcon.evaluation import expected_calibration_error
from supcon.report import (
    CorruptedSamples,
    Curve,
    Outputs,
    Pairs,
    PairShares,
    RunResults,
    Suspects,
    TrainingImages,
    TrainingViews,
)

RECIPE: dict[str, Any] = {
    "name": "digits",
    "method": "supcon",
    "data": {"spec": "digits", "image_size": None, "validation_fraction": 0.1, "test_fraction": 0.2},
    "views": {"augmentation": "sim-augment", "count": 2, "crop_area": [0.6, 1.0], "flip_probability": 0.0},
    "encoder": {"name": "small-resnet", "stem": "auto", "width": 32, "normalize_representation": True},
    "projection": {"kind": "mlp", "width": 128},
    "loss": {"temperature": 0.1, "summation": "out", "denominator": "all", "rescale": "none"},
    "stage1": {"epochs": 60, "batch_size": 256, "optimizer": "sgd", "learning_rate": 0.4, "warmup_epochs": 5},
    "stage2": {"epochs": 30, "batch_size": 256, "optimizer": "sgd", "learning_rate": 1.0},
    "seed": 0,
}
ENVIRONMENT = {
    "command": "supcon train digits --method supcon --seed 0",
    "started": "2026-11-15T22:40:11+00:00",
    "commit": "0c1b2a3",
    "versions": {"python": "3.11.2", "torch": "2.15.0", "numpy": "2.4.6"},
    "hardware": {"cpu": "2 cores", "memory": "16 GB", "gpu": None},
    "seed": 0,
}


@pytest.fixture(scope="session")
def digits_run() -> RunResults:
    """A plausible supcon run on the digits."""
    return _digits_run(regularisation=0.5, seed=0)


@pytest.fixture(scope="session")
def baseline_run() -> RunResults:
    """A plausible cross-entropy run on the same images, in one stage, a little worse."""
    return baseline(_digits_run(regularisation=0.05, seed=1))


def baseline(run: RunResults) -> RunResults:
    """A run as if it had been trained with cross-entropy."""
    recipe = {**RECIPE, "name": "digits-cross-entropy", "method": "cross-entropy"}
    del recipe["stage2"]
    curves = {"stage1": _classifier_curves(60)}
    measures = {name: value for name, value in run.measures.items() if name != "seconds/stage2"}
    environment = {**ENVIRONMENT, "command": "supcon train digits --method cross-entropy"}
    return replace(
        run, name="digits-cross-entropy", recipe=recipe, curves=curves, measures=measures, environment=environment
    )


@pytest.fixture(scope="session")
def repeat_run() -> Callable[..., RunResults]:
    """Makes the same run again with another seed and slightly other measures."""
    return repeated


@pytest.fixture(scope="session")
def make_run() -> Callable[..., RunResults]:
    """Makes a run with any number of classes, by chance."""
    return _made_up_run


def _digits_run(*, regularisation: float, seed: int) -> RunResults:
    digits = load_digits()
    parts = train_test_split(digits.data / 16, digits.target, test_size=360, random_state=0, stratify=digits.target)
    train, test, train_labels, labels = parts
    model = LogisticRegression(C=regularisation, max_iter=200).fit(train, train_labels)
    probabilities = model.predict_proba(test)
    # The mistakes and some others: a grid of thumbnails that is not as high as it is wide.
    shown = np.union1d(np.arange(300), np.flatnonzero(probabilities.argmax(axis=1) != labels))[::-1]
    outputs = Outputs(
        labels=labels,
        probabilities=probabilities,
        coordinates=PCA(2, random_state=0).fit_transform(probabilities),
        map_index=np.arange(len(labels)),
        map_method="PCA",
        thumbnails=(test[shown].reshape(-1, 8, 8, 1) * 255).astype(np.uint8),
        thumbnail_index=shown,
    )
    data = {
        "name": "digits",
        "class_names": [str(digit) for digit in range(10)],
        "counts": {"train": 1293, "validation": 144, "test": 360},
        "image_size": 8,
        "channels": 1,
        "mean": [0.305],
        "std": [0.376],
    }
    return RunResults(
        name="digits-supcon",
        recipe=RECIPE,
        environment=ENVIRONMENT,
        data=data,
        measures=_measures(outputs),
        curves={"stage1": _encoder_curves(60, seed), "stage2": _classifier_curves(30)},
        outputs=outputs,
        training=_training_images(train, train_labels, test[shown]),
        views=TrainingViews(images=_pictures(train[:3]), views=_pictures(train[3:15]).reshape(3, 4, 8, 8, 1)),
        pairs={"start": _pair_shares(train, train_labels, 0.2), "end": _pair_shares(train, train_labels, 0.8)},
        samples=CorruptedSamples(
            names=["gaussian_noise", "fog"], severities=[1, 3], pictures=_pictures(train[:4]).reshape(2, 2, 8, 8, 1)
        ),
        path="/runs/it's a run",
    )


def _pictures(pixels: np.ndarray) -> np.ndarray:
    return (pixels.reshape(-1, 8, 8, 1) * 255).astype(np.uint8)


def _training_images(train: np.ndarray, labels: np.ndarray, shown: np.ndarray) -> TrainingImages:
    """The nearest training images by their pixels, and two suspects."""
    distances, nearest = NearestNeighbors(n_neighbors=5).fit(train).kneighbors(shown)
    return TrainingImages(
        labels=labels,
        names=[f"train/{label}/{place:04}.png" for place, label in enumerate(labels)],
        thumbnails=_pictures(train[:1200]),
        nearest=nearest,
        similarity=1 / (1 + distances),
        suspects=Suspects(
            images=np.array([7, 3]),
            nearest=np.array([[1, 2, 4], [5, 6, 8]]),
            voted=np.array([1, 2]),
            share=np.array([0.9, 0.6]),
            own_share=np.array([0.0, 0.3]),
        ),
    )


def _pair_shares(train: np.ndarray, labels: np.ndarray, hardest: float) -> PairShares:
    pairs = Pairs(
        pictures=_pictures(train[:8]).reshape(4, 2, 8, 8, 1),
        labels=labels[:8].reshape(4, 2),
        names=[[f"{place}a.png", f"{place}b.png"] for place in range(4)],
        similarity=np.array([0.9, 0.8, 0.7, 0.6]),
        times_mean=np.array([30.0, 20.0, 10.0, 5.0]),
        fifths=np.array([hardest, *[(1 - hardest) / 4] * 4]),
    )
    return PairShares(positives=pairs, negatives=pairs)


def _measures(outputs: Outputs) -> dict[str, float]:
    true = outputs.probabilities[np.arange(len(outputs.labels)), outputs.labels]
    rank = (outputs.probabilities > true[:, None]).sum(axis=1)
    return {
        "test/top1": float(outputs.correct.mean()),
        "test/top5": float((rank < 5).mean()),
        "test/nll": float(-np.log(true).mean()),
        "test/ece": expected_calibration_error(outputs.probabilities, outputs.labels),
        "test/knn_top1": 0.9861,
        "seconds/stage1": 71.3,
        "seconds/stage2": 4.9,
        "parameters/encoder": 694_016.0,
    }


def _encoder_curves(epochs: int, seed: int) -> Mapping[str, Curve]:
    noise = np.random.default_rng(seed).normal(size=epochs)
    epoch = np.arange(1, epochs + 1)
    return {
        "train/loss": Curve(epochs=epoch, values=4.1 + 2.1 * np.exp(-epoch / 9) + 0.02 * noise),
        "validation/knn_top1": Curve(epochs=epoch, values=0.985 - 0.6 * np.exp(-epoch / 4) + 0.003 * noise),
        "lr": Curve(epochs=epoch, values=0.4 * np.minimum(epoch / 5, 1) * (1 + np.cos(np.pi * epoch / epochs)) / 2),
    }


def _classifier_curves(epochs: int) -> Mapping[str, Curve]:
    epoch = np.arange(1, epochs + 1)
    return {
        "train/loss": Curve(epochs=epoch, values=0.04 + 2.0 * np.exp(-epoch / 4)),
        "validation/loss": Curve(epochs=epoch, values=0.07 + 2.0 * np.exp(-epoch / 4)),
        "validation/top1": Curve(epochs=epoch, values=0.99 - 0.5 * np.exp(-epoch / 3)),
    }


def _made_up_run(classes: int, images: int = 400, names: list[str] | None = None, accuracy: float = 0.8) -> RunResults:
    generator = np.random.default_rng(classes)
    labels = np.arange(images) % classes
    predicted = np.where(generator.random(images) < accuracy, labels, generator.integers(0, classes, images))
    confidence = generator.uniform(0.5, 0.99, images)
    probabilities = np.repeat(((1 - confidence) / (classes - 1))[:, None], classes, axis=1)
    probabilities[np.arange(images), predicted] = confidence
    mapped = np.arange(min(images, 300))
    centres = generator.normal(size=(classes, 2)) * 4
    outputs = Outputs(
        labels=labels,
        probabilities=probabilities,
        coordinates=centres[labels[mapped]] + generator.normal(size=(len(mapped), 2)) * 0.3,
        map_index=mapped,
        thumbnails=generator.integers(0, 256, (50, 16, 16, 3), dtype=np.uint8),
        thumbnail_index=np.arange(50),
    )
    return RunResults(
        name=f"made-up-{classes}",
        recipe=RECIPE,
        environment=ENVIRONMENT,
        data={
            "name": "made-up",
            "class_names": names or [f"class {c}" for c in range(classes)],
            "counts": {"train": 1000, "validation": 100, "test": images},
            "image_size": 16,
            "channels": 3,
        },
        measures=_measures(outputs),
        curves={"stage1": _encoder_curves(20, 0), "stage2": _classifier_curves(10)},
        outputs=outputs,
    )


def repeated(run: RunResults, seed: int, shift: float) -> RunResults:
    """The run again with another seed and slightly other measures."""
    measures = {name: value + shift for name, value in run.measures.items()}
    return replace(run, name=f"{run.name}-seed{seed}", recipe={**run.recipe, "seed": seed}, measures=measures)
