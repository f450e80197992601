"""What the server answers; the models are also the OpenAPI document."""

from collections.abc import Sequence

import numpy as np
from pydantic import BaseModel, Field

from supcon.serving.model import Model
from supcon.serving.server.engine import Outputs
from supcon.serving.server.uploaded_image import UnreadableImageError


class Neighbour(BaseModel):
    """An image of the gallery that is similar to the uploaded one."""

    path: str
    label: str = Field(description="Its class; empty if it has none.")
    similarity: float = Field(description="Cosine similarity of the representations.")
    thumbnail: str | None = Field(None, description="A small picture as a data URL, if thumbnails were asked for.")


class ImageAnswer(BaseModel):
    """The answer for one image: a prediction, or `error`, the reason why it could not be read."""

    name: str = Field(description="The file name as uploaded.")
    error: str | None = None


class ClassProbability(BaseModel):
    """A class and its probability."""

    class_: str = Field(alias="class")
    probability: float


class Prediction(ImageAnswer):
    """The most likely class, with its probability; `top` has the most likely ones, best first."""

    class_: str | None = Field(None, alias="class", description="With several labels per image, all above 0.5: `a|b`.")
    probability: float | None = Field(None, description="That of the most likely class.")
    top: list[ClassProbability] | None = None  # a list, because JavaScript sorts the keys of an object that are numbers


class Found(Prediction):
    """A prediction with the nearest images of the gallery."""

    neighbours: list[Neighbour] | None = None


class Embedding(ImageAnswer):
    """The representation of an image."""

    representation: list[float] | None = None


class Predictions(BaseModel):
    images: list[Prediction]


class FoundImages(BaseModel):
    images: list[Found]


class Embeddings(BaseModel):
    images: list[Embedding]


class Health(BaseModel):
    """Whether the server answers, and which model it has."""

    status: str
    model: str
    classes: list[str]
    image_size: int
    gallery: int = Field(description="Images that /search looks in; 0 if there is no gallery.")
    upload_megabytes: float = Field(description="Largest request.")
    waiting: int = Field(description="Images that are being decoded or wait for the model.")
    batches: int = Field(description="Batches that the model has computed.")
    images: int = Field(description="Images that the model has computed.")


def prediction_values(model: Model, name: str, found: Outputs | UnreadableImageError, top: int) -> dict[str, object]:
    """The values of a `Prediction`."""
    if isinstance(found, UnreadableImageError):
        return {"name": name, "error": str(found)}
    order = np.argsort(-found.probabilities, kind="stable")[:top]
    return {
        "name": name,
        "class": model.names(found.probabilities[None])[0],
        "probability": float(found.probabilities[order[0]]),
        "top": [{"class": model.classes[row], "probability": float(found.probabilities[row])} for row in order],
    }


def embedding_values(name: str, found: Outputs | UnreadableImageError) -> dict[str, object]:
    """The values of an `Embedding`."""
    if isinstance(found, UnreadableImageError):
        return {"name": name, "error": str(found)}
    return {"name": name, "representation": found.representation.tolist()}


def all_unreadable(found: Sequence[Outputs | UnreadableImageError]) -> bool:
    return all(isinstance(result, UnreadableImageError) for result in found)
