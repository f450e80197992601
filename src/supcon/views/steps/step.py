"""What an augmentation is made of: steps that act on a whole batch, each image with numbers of its own."""

from typing import Any, Protocol, TypeVar, runtime_checkable

from torch import Tensor

Parameters = TypeVar("Parameters", bound=tuple[Tensor, ...])
"""What was drawn for a step: a named tuple of tensors on the CPU whose first axis is the image."""


@runtime_checkable
class Step(Protocol[Parameters]):
    """One random change of a batch.

    All randomness comes in as `uniform`, so a step has no state and the same draws give the same images. Parameters
    are computed with numpy where there are many of them: for the few views of one image that is several times faster.
    """

    @property
    def uniform_draws(self) -> int:
        """How many uniform draws from [0, 1) an image needs."""

    @property
    def shared_draws(self) -> int:
        """How many of these, the last ones, are the same for all images of a batch."""

    @property
    def on_bytes(self) -> bool:
        """Whether uint8 images must come as they are; otherwise they come as floats in [0, 1]."""

    def parameters(self, uniform: Tensor, height: int, width: int, /) -> Parameters:
        """What happens to each image, from draws of shape [batch, uniform_draws] and the images' size."""

    def apply(self, images: Tensor, parameters: Parameters, /) -> Tensor:
        """Does it to [batch, channel, height, width] images on their own device, without writing into them."""

    def output_size(self, height: int, width: int, /) -> tuple[int, int]:
        """The images' height and width afterwards."""

    def describe(self, parameters: Parameters, index: int, /) -> list[str]:
        """Name and strength of what happened to one image; empty where nothing did."""


AnyStep = Step[Any]
