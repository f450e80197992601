"""Stage 2 on cached representations: the encoder runs once over all images, and batches are slices of the result."""

from torch import Tensor
from torch.utils.data import DataLoader, Dataset

from supcon.data import BatchIndex, EpochBatches, SamplerName, choose_draw
from supcon.views import ViewMaker

NO_VIEWS = ViewMaker(count=1, in_loader=None, on_batch=None)
"""Representations are not augmented: the batch is passed on unchanged."""


class CachedBatches(Dataset[tuple[Tensor, Tensor]]):
    """Representations [image, 1, width] and labels, in the shape of a batch with one view per image."""

    def __init__(self, representations: Tensor, labels: Tensor) -> None:
        self.rows, self.labels = representations.unsqueeze(1), labels

    def __getitem__(self, batch: BatchIndex) -> tuple[Tensor, Tensor]:
        return self.rows[batch.images], self.labels[batch.images]


def cached_loader(
    representations: Tensor, labels: Tensor, batch_size: int, seed: int, *, sampler: SamplerName = "plain"
) -> "DataLoader[tuple[Tensor, Tensor]]":
    """Loads the same batches as `training_loader`, as representations instead of images."""
    draw = choose_draw(sampler, labels, 1)
    batches = EpochBatches(len(labels), batch_size, shuffle=True, seed=seed, draw=draw)
    return DataLoader(CachedBatches(representations, labels), sampler=batches, batch_size=None)
