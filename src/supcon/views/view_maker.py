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

    on_all_views: Augmentation | None = None
    """What happens to all views of a batch at once, with draws that they share; None where there is none such."""

    def __call__(self, batch: Tensor, generator: torch.Generator | None = None, place: Place | None = None) -> Tensor:
        """Makes views of a batch of images, or finishes those the loader began; `place` as in `make_views`."""
        if self.in_loader is None and self.on_batch is not None:
            views = make_views(batch, self.on_batch, self.count, generator, place)
            return self._together(self.on_all_views, views, generator, place)
        return self._together(self.on_batch, batch, generator, place)

    def _together(
        self, augmentation: Augmentation | None, views: Tensor, generator: torch.Generator | None, place: Place | None
    ) -> Tensor:
        """Augments [batch, view, ...] once more, all views of all images in one draw."""
        if augmentation is None:
            return views
        place = place and Place(place.first * self.count, place.total * self.count)
        rows = augmentation(views.flatten(0, 1), generator, place)
        return rows.view(*views.shape[:2], *rows.shape[1:])


def make_view_maker(
    config: ViewsConfig, size: int, channels: int, stored: tuple[int, int] | None, device: torch.device | str
) -> ViewMaker:
    """Chooses the engine that is faster, or the one `config.engine` asks for.

    `stored` is the height and width of the images the loader gives, None where they differ: then the crop is made
    where they are decoded, whatever the engine.
    """
    steps = make_augmentation(config, size, channels).steps
    # Draws that all rows of a batch share need the batch: a worker has one image.
    alone, shared = [step for step in steps if not step.shared_draws], [step for step in steps if step.shared_draws]
    on_all_views = Chain(shared) if shared else None
    batched = config.engine == "batched"
    if config.engine == "auto":
        batched = torch.device(device).type != "cpu" or max(stored or (size,)) <= _BATCHED_SIDE
    if not batched:
        return ViewMaker(count=config.count, in_loader=WorkerViews(Chain(alone), config.count), on_batch=on_all_views)
    if stored is not None:
        return ViewMaker(count=config.count, in_loader=None, on_batch=Chain(alone), on_all_views=on_all_views)
    crop_flip, *rest = steps
    return ViewMaker(
        count=config.count,
        in_loader=WorkerViews(Chain([crop_flip]), config.count),
        on_batch=Chain(rest) if rest else None,
    )
