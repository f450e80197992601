"""The training stages: contrastive pretraining, the linear classifier, cross-entropy."""

from typing import TYPE_CHECKING

from supcon.base.lazy_imports import lazy_imports

if TYPE_CHECKING:
    from supcon.stages.assemble import Parts as Parts
    from supcon.stages.assemble import Stage1 as Stage1
    from supcon.stages.callbacks.training_progress import Probe as Probe
    from supcon.stages.config import HardwareConfig as HardwareConfig
    from supcon.stages.config import OptimizerConfig as OptimizerConfig
    from supcon.stages.config import Stage1Config as Stage1Config
    from supcon.stages.config import Stage2Config as Stage2Config
    from supcon.stages.linear_stage import make_classifier as make_classifier
    from supcon.stages.methods import METHODS as METHODS
    from supcon.stages.methods import Method as Method
    from supcon.stages.methods import Traits as Traits
    from supcon.stages.train_stages import Represent as Represent
    from supcon.stages.train_stages import Surroundings as Surroundings
    from supcon.stages.train_stages import classify as classify
    from supcon.stages.train_stages import train_encoder as train_encoder
    from supcon.stages.trainer.ddp import check_hardware as check_hardware
    from supcon.stages.trainer.dry_run import Rehearsal as Rehearsal
    from supcon.stages.trainer.dry_run import StageEstimate as StageEstimate
    from supcon.stages.trainer.fit import fit as fit
    from supcon.stages.trainer.loggers import check_logger as check_logger
    from supcon.stages.trainer.randomness import view_generator as view_generator
else:
    __getattr__, __dir__ = lazy_imports(__name__, __file__)
