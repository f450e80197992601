"""`model.json`: what a model's weights are, how images are preprocessed for it, and what its classes are called."""

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from supcon.base.errors import RequestError
from supcon.base.stored_values import from_values, read_json
from supcon.encoder import EncoderConfig
from supcon.runs import Run

if TYPE_CHECKING:  # torch: a page is built from a card without it
    from supcon.data import Layout
    from supcon.encoder import Encoder

LARGEST_SIDE = 16_384
"""Pixels of an image's side; more is an error in `model.json`."""


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
    weights_digest: str | None = None
    """BLAKE2b hash of `model.safetensors`, to refuse weights of another run; none in runs of older versions."""

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

    @property
    def layout(self) -> "Layout":
        """How files are decoded for this model."""
        from supcon.data import Layout

        return Layout(image_size=self.image_size, stored_size=self.stored_size, channels=self.channels)

    def make_encoder(self) -> "Encoder":
        """The encoder with random weights."""
        from supcon.encoder import make_encoder

        # Pretrained weights are not loaded again: those in model.safetensors replace them.
        config = EncoderConfig(**{**self.encoder, "pretrained": False})
        return make_encoder(
            **asdict(config), channels=self.channels, image_size=self.image_size, mean=self.mean, std=self.std
        )

    def to_json(self) -> str:
        """One line, as it also stands in the metadata of `model.safetensors`."""
        return json.dumps(asdict(self), ensure_ascii=False)


def card_from_values(values: Mapping[str, Any], where: str) -> tuple[ModelCard, "Encoder"]:
    """The card with these values, and the encoder that it describes, with random weights."""
    try:
        card = from_values(ModelCard, values)
        return card, card.make_encoder()
    except (TypeError, ValueError, RuntimeError, MemoryError) as error:  # a value is missing, unknown or invalid
        raise RequestError(f"{where} does not describe a model ({error}); train the run again.") from error


def read_card(run: Run) -> ModelCard:
    """`model.json` of a run, with every value checked."""
    values = read_json(run.model_card_file)
    try:
        return from_values(ModelCard, values)
    except ValueError as error:
        raise RequestError(
            f"{run.model_card_file} does not describe a model ({error}); train the run again."
        ) from error
