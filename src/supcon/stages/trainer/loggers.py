"""Loggers in addition to `metrics.csv`: TensorBoard or Weights & Biases, each an optional dependency."""

import hashlib
from importlib.util import find_spec
from pathlib import Path
from typing import Literal

from lightning.pytorch.loggers import Logger, TensorBoardLogger, WandbLogger

from supcon.base.errors import RequestError


def check_logger(name: Literal["none", "tensorboard", "wandb"]) -> None:
    """Raises an error if the logger's package is not installed."""
    if name != "none" and find_spec(name) is None:
        raise RequestError(f"--logger {name} needs a package that is not installed: pip install 'supcon[{name}]'.")


def make_loggers(name: Literal["none", "tensorboard", "wandb"], folder: Path) -> list[Logger]:
    """The logger of one stage; a resumed stage continues its log.

    TensorBoard's files are in the stage's folder. Weights & Biases reads its account and mode from its environment
    variables (WANDB_API_KEY, WANDB_MODE=offline) and keeps its local files in that folder too.
    """
    if name == "tensorboard":
        return [TensorBoardLogger(folder, name="", version="tensorboard", default_hp_metric=False)]
    if name == "wandb":
        folder.mkdir(parents=True, exist_ok=True)
        identity = hashlib.blake2b(str(folder.resolve()).encode(), digest_size=8).hexdigest()
        title = "-".join(folder.resolve().parts[-2:])
        return [WandbLogger(project="supcon", name=title, id=identity, save_dir=folder, resume="allow")]
    return []
