"""Evaluation under the corruptions of ImageNet-C: computed on the fly, or read from a published set."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from torch import Tensor
from torchvision.transforms.v2.functional import resize

from supcon.base.progress import bar
from supcon.base.shapes import Images, Labels
from supcon.data import ImageData, Layout
from supcon.evaluation import (
    FrostTexture,
    corrupted_batches,
    frost_name,
    frost_texture,
    measures_of_sets,
    published_batches,
    published_images,
)
from supcon.serving import Model, ModelCard

Batches = Iterator[tuple[Images, Labels]]


@dataclass(frozen=True, kw_only=True)
class CorruptedSet:
    """Images under several corruptions and severities."""

    title: str
    """Description of the images, shown with the results."""
    names: Sequence[str]
    severities: Sequence[int]
    images: int
    """Number of images of one severity of one corruption."""
    batches: Callable[[str, int], Batches]
    frost: str = ""
    """The texture of the corruption frost; empty if it is not among the corruptions."""

    @property
    def remark(self) -> str:
        frost = f"; frost: {self.frost}" if self.frost else ""
        return f"{self.title}; severities {', '.join(map(str, self.severities))}{frost}"

    @property
    def remarks(self) -> dict[str, str]:
        """The texts about the set in `evaluation.json`."""
        return {"corruptions/set": self.remark} | ({"corruptions/frost": self.frost} if self.frost else {})


def made_set(
    data: ImageData,
    names: Sequence[str],
    severities: Sequence[int],
    seed: int,
    frost: FrostTexture | Literal["auto"] = "auto",
) -> CorruptedSet:
    """The test images of `data`, corrupted on the fly; the same `seed` and texture give the same images."""
    texture = frost_texture(frost)

    def batches(name: str, severity: int) -> Batches:
        return corrupted_batches(data.test, data.image_size, name, severity, seed=seed, texture=texture)

    return CorruptedSet(
        title=f"{len(data.test):,} test images of {data.name}, corrupted on the fly with seed {seed}",
        names=names,
        severities=severities,
        images=len(data.test),
        batches=batches,
        frost=frost_name(texture) if "frost" in names else "",
    )


def published_set(root: Path, card: ModelCard, names: Sequence[str], severities: Sequence[int]) -> CorruptedSet:
    """A folder of ImageNet-C or CIFAR-10-C; its images are square already and are only resized to the input size."""
    layout = Layout(image_size=card.image_size, stored_size=card.image_size, channels=card.channels)

    def batches(name: str, severity: int) -> Batches:
        for images, labels in published_batches(root, name, severity, card.class_names, layout):
            yield _fitted(images, card.image_size), labels

    images = published_images(root, names[0], severities[0])
    return CorruptedSet(
        title=f"published set {root.resolve()}", names=names, severities=severities, images=images, batches=batches
    )


def measure(model: Model, corrupted: CorruptedSet, what: str, bins: int) -> dict[str, float]:
    """Accuracy and calibration error for each corruption and severity, with a progress bar over all images."""
    total = corrupted.images * len(corrupted.names) * len(corrupted.severities)
    with bar(what, total, "images") as advance:
        return dict(
            measures_of_sets(
                lambda images: model.classifier(model.encoder(images)),
                corrupted.batches,
                names=corrupted.names,
                severities=corrupted.severities,
                bins=bins,
                device=model.classifier.weight.device,
                advance=advance,
            )
        )


def _fitted(images: Tensor, size: int) -> Tensor:
    return images if images.shape[-2:] == (size, size) else resize(images, [size, size], antialias=True)
