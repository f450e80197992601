"""A trained model in use: from images to representations, probabilities and class names."""

import hashlib
from collections.abc import Iterator

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from supcon.base.shapes import Images, Representations
from supcon.encoder import Encoder
from supcon.serving.choose_device import checked_device
from supcon.serving.image_inputs import ImagesLike, each_image, prepared_batches
from supcon.serving.model_card import ModelCard

_NAMES_SHOWN = 5


class Model:
    """An encoder with its linear classifier, for inference on images.

    `embed`, `predict_proba` and `predict` take images in any form (`ImagesLike`) and give one row per image, in
    order; a single image is a list of one. `prepare`, `encode` and `classify` are their three steps, on tensors.
    `encoder` is the torch module, which takes uint8 images [image, channel, image_size, image_size] and returns
    representations; `classifier` is a linear layer on them.
    """

    def __init__(self, encoder: Encoder, classifier: nn.Linear, card: ModelCard) -> None:
        self.encoder, self.classifier, self.card = encoder.eval(), classifier.eval(), card

    def __repr__(self) -> str:
        classes, size, channels = self.classes, self.card.image_size, self.card.channels
        names = ", ".join(classes) if len(classes) <= _NAMES_SHOWN else f"{', '.join(classes[:_NAMES_SHOWN])}, …"
        return (
            f"Model({len(classes)} classes: {names}; images [{channels}, {size}, {size}]; encoder "
            f"{self.card.encoder['name']}, {self.encoder.width} wide; on {self.device})"
        )

    def to(self, device: str | torch.device) -> "Model":
        """Moves the model to a device: auto, cpu, gpu or a name of torch; returns the model itself."""
        name = checked_device(str(device))
        self.encoder.to(name)
        self.classifier.to(name)
        return self

    @property
    def classes(self) -> list[str]:
        """The class names, in the order of the columns of `predict_proba`."""
        return list(self.card.class_names)

    @property
    def device(self) -> torch.device:
        return self.encoder.mean.device

    @property
    def digest(self) -> str:
        """A hash of all weights, by which stored representations are known to be of this model."""
        found = hashlib.blake2b(digest_size=16)
        for name, tensor in nn.ModuleDict({"e": self.encoder, "c": self.classifier}).state_dict().items():
            found.update(name.encode())
            found.update(tensor.detach().cpu().contiguous().numpy().data)
        return found.hexdigest()

    def prepare(self, images: ImagesLike) -> Images:
        """Images preprocessed as in evaluation: uint8 [image, channel, image_size, image_size] on the CPU."""
        size = self.card.image_size
        batches = list(prepared_batches(each_image(images), self.card.layout, None))
        return torch.cat(batches) if batches else torch.empty((0, self.card.channels, size, size), dtype=torch.uint8)

    @torch.inference_mode()
    def encode(self, batch: Images) -> Representations:
        """Representations of a prepared batch, float32 on the model's device."""
        representations: Tensor = self.encoder(batch.to(self.device))
        return representations.float()

    @torch.inference_mode()
    def classify(self, representations: Representations) -> Tensor:
        """[image, class]: probabilities; with one label per image, rows sum to 1."""
        scores: Tensor = self.classifier(representations)
        return scores.sigmoid() if self.card.multi_label else scores.softmax(1)

    def names(self, probabilities: NDArray[np.float32]) -> list[str]:
        """The name of the most likely class of every row; of multi-label data all from 0.5 on, as `a|b`."""
        if self.card.multi_label:
            return ["|".join(self.classes[index] for index in np.flatnonzero(row >= 0.5)) for row in probabilities]
        return [self.classes[index] for index in probabilities.argmax(1)]

    def embed(self, images: ImagesLike, batch_size: int | None = None) -> NDArray[np.float32]:
        """Representations, one row per image. `batch_size`: images at once; none: chosen by the image size."""
        rows = [batch.cpu().numpy() for batch in self._encoded(images, batch_size)]
        return np.concatenate(rows) if rows else np.empty((0, self.encoder.width), dtype=np.float32)

    def predict_proba(self, images: ImagesLike, batch_size: int | None = None) -> NDArray[np.float32]:
        """Probabilities, one row per image, one column per class; with one label per image, rows sum to 1."""
        rows = [self.classify(batch).cpu().numpy() for batch in self._encoded(images, batch_size)]
        return np.concatenate(rows) if rows else np.empty((0, len(self.classes)), dtype=np.float32)

    def predict(self, images: ImagesLike, batch_size: int | None = None) -> list[str]:
        """The name of the most likely class of every image; of multi-label data all from 0.5 on, as `a|b`."""
        return self.names(self.predict_proba(images, batch_size))

    def _encoded(self, images: ImagesLike, batch_size: int | None) -> Iterator[Representations]:
        for batch in prepared_batches(each_image(images), self.card.layout, batch_size):
            yield self.encode(batch)
