"""`supcon.SupConClassifier`: training and prediction by the conventions of scikit-learn, on arrays of images."""

import contextlib
import io
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from supcon.base.checked_arguments import check_argument
from supcon.base.errors import RequestError
from supcon.base.random_state import kept_random_state
from supcon.data import borrowed_arrays, keep_arrays
from supcon.jobs.train_run import train
from supcon.recipes import Method
from supcon.serving import Device, Model, image_batch, load, model_bytes, model_from_bytes, torch_device


class SupConClassifier(ClassifierMixin, TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """An image classifier with the interface of scikit-learn, for pipelines, cross-validation and grid search.

    Images are arrays [image, height, width], [image, height, width, channel] or [image, channel, height, width], uint8
    from 0 to 255 or float from 0 to 1; labels are integers or text. `transform` gives representations.

    Args:
        recipe: name of a recipe; None: the one that fits the images.
        method: `supcon`, `cross-entropy`, ...; None: that of the recipe.
        epochs: of stage 1; None: those of the recipe.
        batch_size: images per step; None: chosen by the images and the memory.
        options: further values of the recipe by their dotted names.
        validation_fraction: share of the images of each class that is held out to measure `validation_accuracy_`.
        random_state: the seed.
        device: "auto", "cpu" or "gpu".
        out: folder in which the run is kept, with its report; None: it is not kept.
        verbose: whether progress is printed to stderr.
    """

    def __init__(
        self,
        *,
        recipe: str | None = None,
        method: Method | None = None,
        epochs: int | None = None,
        batch_size: int | None = None,
        options: Mapping[str, Any] | None = None,
        validation_fraction: float = 0.1,
        random_state: int = 0,
        device: Device = "auto",
        out: str | Path | None = None,
        verbose: bool = False,
    ) -> None:
        self.recipe, self.method, self.epochs, self.batch_size = recipe, method, epochs, batch_size
        self.options, self.validation_fraction, self.random_state = options, validation_fraction, random_state
        self.device, self.out, self.verbose = device, out, verbose

    def fit(self, X: Any, y: Any) -> "SupConClassifier":  # noqa: N803
        """Trains on the images `X` with the labels `y`, all but the share that is held out."""
        images, labels = image_batch(X), _labels(y)
        if not len(images):
            raise RequestError("X has no images; give some of every class.")
        if labels.shape != (len(images),):
            raise RequestError(f"y must have one label for each of the {len(images)} images, got {labels.shape}.")
        fraction = check_argument(self.validation_fraction, float, "validation_fraction")
        seed = check_argument(self.random_state, int, "random_state")
        if seed < 0:
            raise RequestError(f"random_state must be a whole number of at least 0, got {seed}.")
        self.classes_, numbers = np.unique(labels, return_inverse=True)
        held = _held_out(numbers, fraction, seed)
        names = np.array(_names(self.classes_))[numbers]
        part = (images[held], names[held])
        arrays = {"train": (images[~held], names[~held]), "val": part, "test": part}
        with contextlib.nullcontext() if self.verbose else contextlib.redirect_stderr(io.StringIO()):
            if self.out is not None:
                self._train(keep_arrays(arrays), Path(self.out))
            else:
                with borrowed_arrays(arrays) as spec, tempfile.TemporaryDirectory(prefix="supcon-") as folder:
                    self._train(spec, Path(folder) / "run")
        return self

    @kept_random_state()
    def _train(self, spec: str, folder: Path) -> None:
        given = {"epochs": self.epochs, "batch_size": self.batch_size, "seed": self.random_state, "device": self.device}
        options = {name: value for name, value in given.items() if value is not None} | dict(self.options or {})
        run = train(spec, recipe=self.recipe, method=self.method, out=folder, options=options)
        self.model_: Model = load(run.path, torch_device(self.device))
        self.validation_accuracy_: float = run.measures["test/top1"]

    def predict_proba(self, X: Any) -> NDArray[np.float32]:  # noqa: N803
        """[image, class]: probabilities, in the order of `classes_`."""
        check_is_fitted(self, "model_")
        names = _names(self.classes_)
        return self.model_.predict_proba(image_batch(X))[:, [self.model_.classes.index(name) for name in names]]

    def predict(self, X: Any) -> NDArray[Any]:  # noqa: N803
        """The most likely class of every image, as it was given to `fit`."""
        chances = self.predict_proba(X)
        return np.asarray(self.classes_[chances.argmax(1)])

    def transform(self, X: Any) -> NDArray[np.float32]:  # noqa: N803
        """[image, dim]: representations."""
        check_is_fitted(self, "model_")
        return self.model_.embed(image_batch(X))

    def __getstate__(self) -> dict[str, Any]:
        """The model as the bytes of a .safetensors file, so that it can be stored and sent to other processes."""
        state = dict(super().__getstate__())
        if "model_" in state:
            state["model_"] = model_bytes(state["model_"])
        return state

    def __setstate__(self, state: Mapping[str, Any]) -> None:
        values = dict(state)
        if "model_" in values:
            # One that was trained on a GPU can also be used where there is none.
            device: Device = "cpu" if values["device"] == "cpu" else "auto"
            values["model_"] = model_from_bytes(values["model_"], torch_device(device))
        super().__setstate__(values)


def _labels(given: Any) -> NDArray[Any]:
    """An array of labels that can be sorted: numbers, texts, or objects of one type."""
    try:
        labels = np.asarray(given)
        np.sort(labels, axis=None)
    except (TypeError, ValueError) as error:
        raise RequestError(
            "y must be numbers or texts, one for each image, got a list of lists or of several types; convert it."
        ) from error
    return labels


def _names(classes: Sequence[Any] | NDArray[Any]) -> list[str]:
    """Class names for a run: those that were given, or numbers if they cannot be written in a manifest."""
    names = [str(name) for name in classes]
    fine = len(set(names)) == len(names) and all(name and name == name.strip() and "|" not in name for name in names)
    return names if fine else [str(number) for number in range(len(names))]


def _held_out(labels: NDArray[np.int64], fraction: float, seed: int) -> NDArray[np.bool_]:
    """Which images are held out: a share of every class, at least one of those that have two."""
    if not 0 < fraction < 1:
        raise RequestError(f"validation_fraction must be between 0 and 1, got {fraction}.")
    held = np.zeros(len(labels), dtype=bool)
    generator = np.random.default_rng(seed)
    for number in range(labels.max() + 1):
        places = generator.permutation(np.flatnonzero(labels == number))
        held[places[: min(max(1, round(fraction * len(places))), len(places) - 1)]] = True
    return held
