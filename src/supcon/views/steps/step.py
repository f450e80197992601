"""The protocol of the steps of an augmentation, which act on whole batches with parameters for each image."""

from typing import Any, Protocol, TypeVar, runtime_checkable

from torch import Tensor

Parameters = TypeVar("Parameters", bound=tuple[Tensor, ...])
"""The drawn parameters of a step: a named tuple of CPU tensors whose first axis is the image."""


@runtime_checkable
class Step(Protocol[Parameters]):
    """One random operation on a batch.

    All randomness is the argument `uniform`, so a step has no state and the same draws give the same images. Steps with
    many parameters compute them with numpy, which is several times faster for the few views of one image.
    """

    @property
    def uniform_draws(self) -> int:
        """Number of uniform draws from [0, 1) per image."""

    @property
    def shared_draws(self) -> int:
        """Number of these draws, counted from the last, that are the same for all images of a batch."""

    @property
    def on_bytes(self) -> bool:
        """Whether `apply` takes uint8 images; otherwise they are converted to floats in [0, 1] first."""

    def parameters(self, uniform: Tensor, height: int, width: int, /) -> Parameters:
        """The parameters of each image, from draws of shape [batch, uniform_draws] and the images' size."""

    def apply(self, images: Tensor, parameters: Parameters, /) -> Tensor:
        """Applies the step to [batch, channel, height, width] images on their device, not in place."""

    def output_size(self, height: int, width: int, /) -> tuple[int, int]:
        """The images' height and width afterwards."""

    def describe(self, parameters: Parameters, index: int, /) -> list[str]:
        """Names and strengths of the operations applied to one image; empty if there are none."""


AnyStep = Step[Any]
