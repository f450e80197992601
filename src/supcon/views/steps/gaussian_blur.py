"""Gaussian blur with a sigma for each image."""

from typing import NamedTuple, get_args

from torch import Tensor

from supcon.views.config import BlurBorder, SigmaScope
from supcon.views.kernels.image_groups import change_rows
from supcon.views.kernels.resample import blur_weights, resample
from supcon.views.number_checks import check_choice, check_range, check_within


class Blur(NamedTuple):
    """Which images are blurred, and their sigma in pixels."""

    active: Tensor
    sigma: Tensor


class BlurStep:
    """A Gaussian blur with a probability; the kernel size is a fraction of the side.

    Sigma is drawn for every image or, as in TF, once per batch. Images are padded by mirroring, as in torchvision, or
    with mid-grey, as in TF.
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
        """Draws sigma uniformly; no blur if the image is too small for a kernel of three pixels."""
        low, high = self._sigma
        probability = self._probability if self.radius(max(height, width)) > 0 else 0.0
        return Blur(uniform[:, 0] < probability, low + (high - low) * uniform[:, 1])

    def radius(self, side: int) -> int:
        """Radius of the kernel; TF's kernel has 2 (side // 10 // 2) + 1 pixels."""
        return int(self._kernel * side) // 2

    def apply(self, images: Tensor, parameters: Blur) -> Tensor:
        """Blurs the active images."""
        height, width = images.shape[-2:]

        def change(block: Tensor, rows: Tensor) -> Tensor:
            sigma = parameters.sigma[rows].to(block.device)
            down = blur_weights(sigma, height, self.radius(height), mirrored=self._mirrored)
            across = down
            if width != height:
                across = blur_weights(sigma, width, self.radius(width), mirrored=self._mirrored)
            if self._mirrored:
                return resample(block, down, across)
            # Pixels outside of the image count as 0, so values are shifted to make 0 mid-grey.
            return resample(block - 0.5, down, across).add_(0.5)

        return change_rows(images, parameters.active, change)

    def describe(self, parameters: Blur, index: int) -> list[str]:
        """Sigma in pixels."""
        return [f"blur {float(parameters.sigma[index]):.1f} px"] if parameters.active[index] else []
