"""The training stages: contrastive pretraining, the linear classifier, cross-entropy."""

from typing import TYPE_CHECKING

from supcon.base.lazy_imports import lazy_imports

if TYPE_CHECKING:
    from supcon.stages.callbacks.probe_encoder import Probe as Probe
    from supcon.stages.config import HardwareConfig as HardwareConfig
    from supcon.stages.config import OptimizerConfig as OptimizerConfig
    from supcon.stages.config import Stage1Config as Stage1Config
    from supcon.stages.config import Stage2Config as Stage2Config
    from supcon.stages.gradient_cache import in_micro_batches as in_micro_batches
    from supcon.stages.linear_stage import make_classifier as make_classifier
    from supcon.stages.methods import METHODS as METHODS
    from supcon.stages.methods import Method as Method
    from supcon.stages.methods import MethodSpec as MethodSpec
    from supcon.stages.multi_label import binary_cross_entropy as binary_cross_entropy
    from supcon.stages.run_context import RunContext as RunContext
    from supcon.stages.run_context import WorkerTransform as WorkerTransform
    from supcon.stages.stage1 import Networks as Networks
    from supcon.stages.stage1 import Stage1Settings as Stage1Settings
    from supcon.stages.stage1 import train_encoder as train_encoder
    from supcon.stages.stage2 import EncodeSplit as EncodeSplit
    from supcon.stages.stage2 import train_classifier as train_classifier
    from supcon.stages.trainer.ddp import check_hardware as check_hardware
    from supcon.stages.trainer.ddp import on_gpu as on_gpu
    from supcon.stages.trainer.ddp import run_device as run_device
    from supcon.stages.trainer.dry_run import DryRun as DryRun
    from supcon.stages.trainer.dry_run import StageEstimate as StageEstimate
    from supcon.stages.trainer.fit import fit as fit
    from supcon.stages.trainer.loggers import check_logger as check_logger
    from supcon.stages.trainer.randomness import view_generator as view_generator
else:
    __getattr__, __dir__ = lazy_imports(__name__, __file__)
