"""Gaussian blur, each image with its own width."""

from typing import NamedTuple, get_args

from torch import Tensor

from supcon.views.config import BlurBorder, SigmaScope
from supcon.views.kernels.image_groups import change_rows
from supcon.views.kernels.resample import blur_weights, resample
from supcon.views.number_checks import check_choice, check_range, check_within


class Blur(NamedTuple):
    """Which images are blurred, and how widely, in pixels."""

    active: Tensor
    sigma: Tensor


class BlurStep:
    """A Gaussian blur with a probability, its kernel a share of the side.

    Every image has its own sigma, or all of a batch have one as in TF. What is beyond the border is the image
    mirrored, as torchvision does it, or mid-grey, as in TF.
    """

    on_bytes = False
    uniform_draws = 2

    def __init__(
        self,
        probability: float,
        sigma: tuple[float, float],
        kernel: float,
        sigma_per: SigmaScope = "image",
        border: BlurBorder = "mirror",
    ) -> None:
        check_choice("blur_sigma_per", sigma_per, get_args(SigmaScope))
        check_choice("blur_border", border, get_args(BlurBorder))
        check_within("blur_probability", probability, largest=1)
        check_range("blur_sigma", sigma)
        check_within("blur_kernel", kernel, largest=1)
        self._probability, self._sigma, self._kernel = probability, sigma, kernel
        self._mirrored, self.shared_draws = border == "mirror", int(sigma_per == "batch")

    def output_size(self, height: int, width: int) -> tuple[int, int]:
        """Unchanged."""
        return height, width

    def parameters(self, uniform: Tensor, height: int, width: int) -> Blur:
        """Sigma evenly within its range; none where the image is too small for a kernel of three pixels."""
        low, high = self._sigma
        probability = self._probability if self.radius(max(height, width)) > 0 else 0.0
        return Blur(uniform[:, 0] < probability, low + (high - low) * uniform[:, 1])

    def radius(self, side: int) -> int:
        """TF's kernel is 2 (side // 10 // 2) + 1 wide."""
        return int(self._kernel * side) // 2

    def apply(self, images: Tensor, parameters: Blur) -> Tensor:
        """Blurs the images whose turn it is."""
        height, width = images.shape[-2:]

        def change(block: Tensor, rows: Tensor) -> Tensor:
            sigma = parameters.sigma[rows].to(block.device)
            down = blur_weights(sigma, height, self.radius(height), mirrored=self._mirrored)
            across = down
            if width != height:
                across = blur_weights(sigma, width, self.radius(width), mirrored=self._mirrored)
            if self._mirrored:
                return resample(block, down, across)
            # What is beyond the border adds 0, which has to stand for mid-grey.
            return resample(block - 0.5, down, across).add_(0.5)

        return change_rows(images, parameters.active, change)

    def describe(self, parameters: Blur, index: int) -> list[str]:
        """Sigma in pixels."""
        return [f"blur {float(parameters.sigma[index]):.1f} px"] if parameters.active[index] else []
