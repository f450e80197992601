"""A trained model on disk: weights in `model.safetensors`, architecture, classes and preprocessing in `model.json`."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from PIL import Image
from torch import Tensor, nn
from torchvision.transforms.v2.functional import resize

from supcon.base.atomic_files import write_json
from supcon.base.errors import RequestError
from supcon.base.stored_values import from_values, read_json
from supcon.data import Layout, decode_all
from supcon.encoder import Encoder, EncoderConfig, make_encoder, read_safetensors, write_weights
from supcon.evaluation import centre_crop
from supcon.runs import Run, open_complete_run

LARGEST_SIDE = 16_384
"""Pixels of an image's side; more is an error in `model.json`."""

ImagesLike = Tensor | NDArray[np.uint8] | Sequence[str | Path | Image.Image]
"""A uint8 batch [image, channel, height, width], or paths of image files, or Pillow images.

Files and Pillow images are preprocessed like the training images. A batch of the encoder's input size is used
unchanged; of any other size, the shorter side is resized to `stored_size` and the centre is cropped.
"""


@dataclass(frozen=True, kw_only=True)
class ModelCard:
    """`model.json`."""

    recipe: str
    method: str
    data: str
    class_names: Sequence[str]
    channels: int
    image_size: int
    """Side of the encoder's input, a centre crop of an image of side `stored_size`."""
    stored_size: int
    mean: Sequence[float]
    std: Sequence[float]
    counts: Mapping[str, int]
    encoder: Mapping[str, Any]
    multi_label: bool = False
    """Whether an image may have several classes, so that the classifier gives each a probability of its own."""

    def __post_init__(self) -> None:
        """Checks the values, which may come from a file that was changed."""
        if not 1 <= self.image_size <= self.stored_size <= LARGEST_SIDE:
            raise ValueError(
                f"image_size and stored_size must be between 1 and {LARGEST_SIDE} and in this order, got "
                f"{self.image_size} and {self.stored_size}"
            )
        if self.channels not in (1, 3):
            raise ValueError(f"channels must be 1 or 3, got {self.channels}")
        for name, values in (("mean", self.mean), ("std", self.std)):
            if len(values) != self.channels or not all(math.isfinite(value) for value in values):
                raise ValueError(f"{name} must be {self.channels} finite number(s), got {list(values)}")
        if not all(value > 0 for value in self.std):
            raise ValueError(f"std must be above 0, got {list(self.std)}")
        if not self.class_names:
            raise ValueError("class_names is empty")

    def make_encoder(self) -> Encoder:
        """The encoder with random weights."""
        # Pretrained weights are not loaded again: those in model.safetensors replace them.
        config = EncoderConfig(**{**self.encoder, "pretrained": False})
        return make_encoder(
            **asdict(config), channels=self.channels, image_size=self.image_size, mean=self.mean, std=self.std
        )


class Model:
    """An encoder with its linear classifier, for inference on images."""

    def __init__(self, encoder: Encoder, classifier: nn.Linear, card: ModelCard) -> None:
        self.encoder, self.classifier, self.card = encoder.eval(), classifier.eval(), card

    @property
    def class_names(self) -> list[str]:
        return list(self.card.class_names)

    @torch.inference_mode()
    def embed(self, images: ImagesLike, batch_size: int = 256) -> NDArray[np.float32]:
        """Representations, one row per image."""
        if isinstance(images, str | Path | Image.Image):
            raise RequestError(f"images must be a list or a batch, got a {type(images).__name__}; put it in a list.")
        device = self.classifier.weight.device
        rows = [
            self.encoder(self._prepare(images[start : start + batch_size]).to(device)).cpu()
            for start in range(0, len(images), batch_size)
        ]
        return torch.cat(rows).numpy() if rows else np.empty((0, self.encoder.width), dtype=np.float32)

    @torch.inference_mode()
    def predict_proba(self, images: ImagesLike, batch_size: int = 256) -> NDArray[np.float32]:
        """Probabilities, one row per image, one column per class; with one label per image, rows sum to 1."""
        representations = torch.from_numpy(self.embed(images, batch_size)).to(self.classifier.weight.device)
        scores: Tensor = self.classifier(representations)
        chances = scores.sigmoid() if self.card.multi_label else scores.softmax(1)
        return chances.cpu().numpy()

    def predict(self, images: ImagesLike, batch_size: int = 256) -> list[str]:
        """The name of the most likely class of every image; of multi-label data all above 0.5, as `a|b`."""
        chances = self.predict_proba(images, batch_size)
        if self.card.multi_label:
            return ["|".join(self.class_names[index] for index in np.flatnonzero(row >= 0.5)) for row in chances]
        return [self.class_names[index] for index in chances.argmax(1)]

    def _prepare(self, images: ImagesLike) -> Tensor:
        stored, size = self.card.stored_size, self.card.image_size
        if not isinstance(images, Tensor | np.ndarray):
            layout = Layout(image_size=size, stored_size=stored, channels=self.card.channels)
            return centre_crop(decode_all(images, layout), size)
        # Copied, because torch warns about read-only arrays, such as those from Pillow.
        batch = images if isinstance(images, Tensor) else torch.from_numpy(images.copy())
        if batch.ndim != 4 or batch.dtype != torch.uint8 or batch.shape[1] != self.card.channels:
            raise RequestError(
                f"images must be uint8 [image, {self.card.channels}, height, width], "
                f"got {batch.dtype} {list(batch.shape)}."
            )
        if batch.shape[-2:] != (size, size) and min(batch.shape[-2:]) != stored:
            batch = resize(batch, [stored], antialias=True)
        return centre_crop(batch, size)


def save_model(run: Run, model: Model) -> None:
    """Writes `model.safetensors` and `model.json`."""
    weights = nn.ModuleDict({"encoder": model.encoder, "classifier": model.classifier}).state_dict()
    write_weights(run.model_file, weights)
    write_json(run.model_card_file, asdict(model.card))


def load(path: str | Path, device: str = "cpu") -> Model:
    """Loads the model of a finished run."""
    run = open_complete_run(Path(path))
    card, encoder = _read_card(run)
    classifier = nn.Linear(encoder.width, len(card.class_names))
    try:
        weights = read_safetensors(run.model_file)
        if not any(name.startswith("classifier.") for name in weights):
            raise RequestError(
                f"The run {path} has an encoder but no classifier; train its stage 2, or use a run that has one."
            )
        nn.ModuleDict({"encoder": encoder, "classifier": classifier}).load_state_dict(weights)
    except RequestError:
        raise
    except (RuntimeError, OSError, ValueError) as error:
        reason = " ".join(str(error).split())
        raise RequestError(
            f"{run.model_file} does not have the weights that model.json describes ({reason}); train the run again."
        ) from error
    return Model(encoder.to(device), classifier.to(device), card)


def read_card(run: Run) -> ModelCard:
    """`model.json`, with every value checked."""
    values = read_json(run.model_card_file)
    try:
        return from_values(ModelCard, values)
    except ValueError as error:
        raise RequestError(
            f"{run.model_card_file} does not describe a model ({error}); train the run again."
        ) from error


def _read_card(run: Run) -> tuple[ModelCard, Encoder]:
    """`model.json` and the encoder it describes, with random weights."""
    card = read_card(run)
    try:
        return card, card.make_encoder()
    except (TypeError, ValueError, RuntimeError, MemoryError) as error:  # a value is missing, unknown or invalid
        raise RequestError(
            f"{run.model_card_file} does not describe a model ({error}); train the run again."
        ) from error
