"""Random numbers for each image, which depend only on a seed, a corruption, the image's index and a position.

They are hashes of a counter (the finalizer of SplitMix64; Steele, Lea and Flood, 2014), computed for a whole batch at
once, so that neither the batch size nor the order of the images nor the device changes a corrupted set.
"""

import math
import zlib
from functools import lru_cache

import torch
from jaxtyping import Float, Int
from torch import Tensor

_GOLDEN = 0x9E3779B97F4A7C15
_STEPS = 1 << 16


class Draws:
    """Draws for every image of a batch; each call continues the sequence."""

    def __init__(self, name: str, seed: int, indices: Int[Tensor, "batch"]) -> None:
        stream = _mix(torch.tensor(_signed(seed * _GOLDEN + zlib.crc32(name.encode()))))
        self._keys = _mix(indices.to(torch.int64) * _signed(_GOLDEN) + stream.to(indices.device))
        self._used = 0

    def words(self, count: int) -> Int[Tensor, "batch {count}"]:
        """[batch, count] random int64 numbers."""
        counter = torch.arange(self._used + 1, self._used + count + 1, device=self._keys.device)
        self._used += count
        return _mix(self._keys[:, None] + counter * _signed(_GOLDEN))

    def steps(self, *shape: int) -> Int[Tensor, "batch ..."]:
        """Random integers from 0 to 65,535, four from each int64: precise enough for 256 pixel levels."""
        count = math.prod(shape)
        bits = self.words(-(-count // 4)).view(torch.int16)[:, :count]
        return (bits.to(torch.int32) + _STEPS // 2).view(-1, *shape)

    def uniform(self, *shape: int) -> Float[Tensor, "batch ..."]:
        """Uniform in (0, 1): the midpoints of 65,536 steps."""
        return (self.steps(*shape) + 0.5) / _STEPS

    def normal(self, *shape: int) -> Float[Tensor, "batch ..."]:
        """Standard normal, by 65,536 quantiles; none is beyond 4.3 standard deviations."""
        steps = self.steps(*shape)
        return normal_quantiles().to(steps.device).index_select(0, steps.flatten()).view(steps.shape)


@lru_cache(maxsize=1)
def normal_quantiles() -> Float[Tensor, "65536"]:
    """The quantiles of the standard normal distribution at the midpoints of 65,536 equal probability intervals."""
    middles = (torch.arange(_STEPS, dtype=torch.float64) + 0.5) / _STEPS
    quantiles: Tensor = torch.special.ndtri(middles)
    return quantiles.float()


def _mix(z: Int[Tensor, "..."]) -> Int[Tensor, "..."]:
    """SplitMix64's finalizer, in place; the masks make torch's arithmetic shifts logical ones."""
    z ^= (z >> 30) & ((1 << 34) - 1)
    z *= _signed(0xBF58476D1CE4E5B9)
    z ^= (z >> 27) & ((1 << 37) - 1)
    z *= _signed(0x94D049BB133111EB)
    z ^= (z >> 31) & ((1 << 33) - 1)
    return z


def _signed(value: int) -> int:
    """The 64 low bits of an integer, as a signed int64."""
    return ((value + (1 << 63)) % (1 << 64)) - (1 << 63)
