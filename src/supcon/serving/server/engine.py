"""From uploaded files to the model's outputs: decoding in threads, then batches for the model."""

import asyncio
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from supcon.base.cores import usable_cores
from supcon.serving.model import Model
from supcon.serving.server.batcher import Batcher
from supcon.serving.server.serve_limits import ServeLimits
from supcon.serving.server.uploaded_image import UnreadableImageError, decode_upload


class QueueFullError(RuntimeError):
    """More images arrive than the model computes."""


class Outputs(NamedTuple):
    """The model's outputs for one image."""

    representation: NDArray[np.float32]
    probabilities: NDArray[np.float32]


class Engine:
    """The model of a server; `async with` starts and ends its threads."""

    def __init__(self, model: Model, limits: ServeLimits) -> None:
        self.model, self.limits = model, limits
        self.inside = 0
        """Images that are decoded, wait, or are computed."""
        self._decoders = ThreadPoolExecutor(max_workers=usable_cores(), thread_name_prefix="decode")
        self._batcher: Batcher[Tensor, Outputs] = Batcher(self._compute, limits.batch)

    async def __aenter__(self) -> "Engine":
        await self._batcher.__aenter__()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._batcher.__aexit__()
        self._decoders.shutdown()

    @property
    def batches(self) -> tuple[int, int]:
        """How many batches were computed, and how many images in all of them."""
        return self._batcher.batches, self._batcher.items

    async def answer(self, uploads: Sequence[bytes]) -> list[Outputs | UnreadableImageError]:
        """The outputs of every upload, or why there are none."""
        if self.inside + len(uploads) > self.limits.queue:
            raise QueueFullError(f"{self.inside} images are waiting, at most {self.limits.queue} can")
        self.inside += len(uploads)
        try:
            found = await asyncio.gather(*(self._answer_one(content) for content in uploads), return_exceptions=True)
        finally:
            self.inside -= len(uploads)
        for result in found:
            if isinstance(result, BaseException) and not isinstance(result, UnreadableImageError):
                raise result
        return found  # type: ignore[return-value]

    async def _answer_one(self, content: bytes) -> Outputs:
        loop, card = asyncio.get_running_loop(), self.model.card
        most = self.limits.megapixels * 1e6
        image = await loop.run_in_executor(self._decoders, decode_upload, content, card.layout, most)
        return await self._batcher(image)

    def _compute(self, images: Sequence[Tensor]) -> list[Outputs]:
        representations = self.model.encode(torch.stack(list(images)))
        probabilities = self.model.classify(representations).cpu().numpy()
        return [Outputs(*rows) for rows in zip(representations.cpu().numpy(), probabilities, strict=True)]
