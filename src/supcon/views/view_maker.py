"""Makes views: for whole batches on their device, or image by image in the loader's workers."""

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
"""On a CPU, images up to this side are augmented in batches, larger ones in the loader's worker processes."""


@dataclass(frozen=True, kw_only=True)
class ViewMaker:
    """Makes the views of a recipe.

    Called with a batch of the loader, it returns the multiviewed batch [batch, view, channel, height, width].
    """

    count: int
    """Views per image."""

    in_loader: WorkerViews | None
    """Applied by the loader to every decoded image; None if the loader returns images without views."""

    on_batch: Augmentation | None
    """Applied to the batch on its device; None if the loader has done all steps."""

    on_all_views: Augmentation | None = None
    """Applied to all views of a batch at once, for steps with shared draws; None if there are none."""

    def __call__(self, batch: Tensor, generator: torch.Generator | None = None, place: Place | None = None) -> Tensor:
        """Makes views of a batch of images, or applies the remaining steps to the loader's views; `place` as in
        `make_views`."""
        if self.in_loader is None and self.on_batch is not None:
            views = make_views(batch, self.on_batch, self.count, generator, place)
            return self._together(self.on_all_views, views, generator, place)
        return self._together(self.on_batch, batch, generator, place)

    def _together(
        self, augmentation: Augmentation | None, views: Tensor, generator: torch.Generator | None, place: Place | None
    ) -> Tensor:
        """Augments [batch, view, ...], with one draw for all views of all images."""
        if augmentation is None:
            return views
        place = place and Place(place.first * self.count, place.total * self.count)
        rows = augmentation(views.flatten(0, 1), generator, place)
        return rows.view(*views.shape[:2], *rows.shape[1:])


def make_view_maker(
    config: ViewsConfig, size: int, channels: int, stored: tuple[int, int] | None, device: torch.device | str
) -> ViewMaker:
    """Chooses the faster engine, or the one that `config.engine` names.

    `stored` is the height and width of the loader's images; None if they differ: then the workers that decode the
    images also crop them, with either engine.
    """
    steps = make_augmentation(config, size, channels).steps
    # Steps with draws shared by the whole batch cannot run in a worker, which has only one image.
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
