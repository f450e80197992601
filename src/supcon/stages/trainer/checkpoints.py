"""Checkpoints that are written atomically and loaded with `weights_only=True`."""

from pathlib import Path
from typing import Any

from lightning.fabric.plugins.io.torch_io import TorchCheckpointIO
from lightning.pytorch.callbacks import ModelCheckpoint

from supcon.base.atomic_files import replacing


class AtomicCheckpointIO(TorchCheckpointIO):
    """Replaces `last.ckpt` atomically: it is always a complete checkpoint, the old one or the new one."""

    def save_checkpoint(self, checkpoint: dict[str, Any], path: Any, storage_options: Any | None = None) -> None:
        with replacing(Path(path)) as temporary:
            super().save_checkpoint(checkpoint, temporary, storage_options)

    def load_checkpoint(self, path: Any, map_location: Any = None, weights_only: bool | None = None) -> dict[str, Any]:
        return super().load_checkpoint(path, map_location, weights_only=True)


def last_checkpoint(folder: Path) -> Path | None:
    """The checkpoint to resume from; None if there is none."""
    path = folder / "checkpoints" / "last.ckpt"
    return path if path.exists() else None


def keep_last(folder: Path) -> ModelCheckpoint:
    """`checkpoints/last.ckpt` after every epoch; never the best epoch on some split, which would bias the results."""
    return ModelCheckpoint(
        folder / "checkpoints",
        filename="last",
        enable_version_counter=False,
        save_on_train_epoch_end=True,
        save_top_k=1,
    )
