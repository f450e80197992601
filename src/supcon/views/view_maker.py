"""Where views are made: by the batch on its device, or image by image in the loader's workers."""

from dataclasses import dataclass

import torch
from torch import Tensor

from supcon.views.augmentation import Augmentation, Place
from supcon.views.augmentation_from_config import make_augmentation
from supcon.views.chain import Chain
from supcon.views.config import ViewsConfig
from supcon.views.multiview import make_views
from supcon.views.worker_views import WorkerViews

_BATCHED_SIDE = 64
"""On a CPU, images up to this side go by the batch; larger ones to the workers, which are processes of their own."""


@dataclass(frozen=True, kw_only=True)
class ViewMaker:
    """How a recipe's views come about.

    Calling it with what the loader gives makes the multiviewed batch [batch, view, channel, height, width].
    """

    count: int
    """Views of an image."""

    in_loader: WorkerViews | None
    """What the loader applies to every decoded image; None where it gives images as they are."""

    on_batch: Augmentation | None
    """What happens to the batch on its device; None where the loader did it all."""

    def __call__(self, batch: Tensor, generator: torch.Generator | None = None, place: Place | None = None) -> Tensor:
        """Makes views of a batch of images, or finishes those the loader began; `place` as in `make_views`."""
        if self.in_loader is None and self.on_batch is not None:
            return make_views(batch, self.on_batch, self.count, generator, place)
        if self.on_batch is None:
            return batch
        place = place and Place(place.first * self.count, place.total * self.count)
        rows = self.on_batch(batch.flatten(0, 1), generator, place)
        return rows.view(*batch.shape[:2], *rows.shape[1:])


def make_view_maker(
    config: ViewsConfig, size: int, channels: int, stored: tuple[int, int] | None, device: torch.device | str
) -> ViewMaker:
    """Chooses the engine that is faster, or the one `config.engine` asks for.

    `stored` is the height and width of the images the loader gives, None where they differ: then the crop is made
    where they are decoded, whatever the engine.
    """
    augmentation = make_augmentation(config, size, channels)
    batched = config.engine == "batched"
    if config.engine == "auto":
        batched = torch.device(device).type != "cpu" or max(stored or (size,)) <= _BATCHED_SIDE
    if not batched:
        return ViewMaker(count=config.count, in_loader=WorkerViews(augmentation, config.count), on_batch=None)
    if stored is not None:
        return ViewMaker(count=config.count, in_loader=None, on_batch=augmentation)
    crop_flip, *rest = augmentation.steps
    return ViewMaker(
        count=config.count,
        in_loader=WorkerViews(Chain([crop_flip]), config.count),
        on_batch=Chain(rest) if rest else None,
    )
