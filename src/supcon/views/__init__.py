"""The augmentations, Aug(·) in the paper: random views of images, computed for whole batches."""

from typing import TYPE_CHECKING

from supcon.base.lazy_imports import lazy_imports

if TYPE_CHECKING:
    from supcon.views.augmentation import Augmentation as Augmentation
    from supcon.views.augmentation import Place as Place
    from supcon.views.augmentation_from_config import make_augmentation as make_augmentation
    from supcon.views.auto_augment import AutoAugment as AutoAugment
    from supcon.views.chain import Chain as Chain
    from supcon.views.config import AugmentationName as AugmentationName
    from supcon.views.config import ViewsConfig as ViewsConfig
    from supcon.views.crop_flip import CropFlip as CropFlip
    from supcon.views.mix import Mixed as Mixed
    from supcon.views.mix import cutmix as cutmix
    from supcon.views.mix import mixup as mixup
    from supcon.views.mix_config import MixConfig as MixConfig
    from supcon.views.mix_labels import mixed_pair_weights as mixed_pair_weights
    from supcon.views.mix_labels import mixed_targets as mixed_targets
    from supcon.views.multiview import make_views as make_views
    from supcon.views.number_checks import check_sheet as check_sheet
    from supcon.views.preview import draw_sweep as draw_sweep
    from supcon.views.preview import draw_views as draw_views
    from supcon.views.rand_augment import RandAugment as RandAugment
    from supcon.views.sim_augment import SimAugment as SimAugment
    from supcon.views.stacked_rand_augment import StackedRandAugment as StackedRandAugment
    from supcon.views.view_maker import ViewMaker as ViewMaker
    from supcon.views.view_maker import make_view_maker as make_view_maker
    from supcon.views.worker_views import WorkerViews as WorkerViews
else:
    __getattr__, __dir__ = lazy_imports(__name__, __file__)
