"""Checkpoints that are written atomically, carry a checksum, and are loaded with `weights_only=True`.

torch writes a zip file with a CRC-32 of every record but does not compare it when loading, so a changed byte would go
unnoticed into the weights. Here it is compared. The checkpoint of the epoch before is kept, for the case that the
newest is damaged.
"""

import errno
import io
import os
import pickle
import zipfile
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

import torch
from lightning.fabric.plugins.io.torch_io import TorchCheckpointIO
from lightning.pytorch.callbacks import ModelCheckpoint

from supcon.base.atomic_files import replacing, temporary_path
from supcon.base.bounded_reading import open_regular
from supcon.base.errors import WorkError, disk_errors
from supcon.base.progress import say

_LAST, _PREVIOUS = "last.ckpt", "previous.ckpt"
_DAMAGES = (
    OSError,
    RuntimeError,
    ValueError,
    KeyError,
    TypeError,
    AttributeError,
    EOFError,
    NotImplementedError,
    pickle.UnpicklingError,
    zipfile.BadZipFile,
)
"""What zipfile and torch raise for files that are cut off, changed or of another kind."""
_NO_HARD_LINKS = {errno.EPERM, errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOSYS}
"""What file systems without hard links answer; on them there is only the newest checkpoint."""


class AtomicCheckpointIO(TorchCheckpointIO):
    """Replaces `last.ckpt` atomically: it is always a complete checkpoint, the old one or the new one."""

    def save_checkpoint(self, checkpoint: dict[str, Any], path: Any, storage_options: Any | None = None) -> None:
        path = Path(path)
        with disk_errors(path):
            path.parent.mkdir(parents=True, exist_ok=True)
        content = io.BytesIO()  # torch would turn an error of the disk into one of its own
        torch.save(checkpoint, content)
        with replacing(path) as temporary:
            with temporary.open("wb") as file:
                file.write(content.getbuffer())
                file.flush()
                os.fsync(file.fileno())  # before the old checkpoint is renamed
            _keep_as_previous(path)

    def load_checkpoint(self, path: Any, map_location: Any = "cpu", weights_only: bool | None = None) -> dict[str, Any]:
        """To the CPU, from where Lightning moves everything to the device of this training: the one that the checkpoint
        was written on may not exist here, or may belong to another process."""
        with open_regular(path) as file:
            _check_sums(file)
            found = torch.load(file, map_location=map_location, weights_only=True)
        if not isinstance(found, dict):
            raise ValueError("it is no checkpoint")
        return found


def _keep_as_previous(path: Path) -> None:
    """Gives the checkpoint that is about to be replaced a second name; there is no moment without a checkpoint."""
    previous = path.with_name(_PREVIOUS)
    try:
        _link(path, previous)
    except FileNotFoundError:  # no checkpoint yet
        pass
    except OSError as error:  # the newest can still be written, and is worth more than ending a long run
        if error.errno not in _NO_HARD_LINKS:
            say(f"{previous} cannot be written ({error.strerror}): a damaged {path.name} would have no replacement.")


def _link(path: Path, other: Path) -> None:
    """Makes `other` a second name of a file, also if there is a file of that name."""
    temporary = temporary_path(other)
    os.link(path, temporary)
    try:
        os.replace(temporary, other)
    finally:  # os.replace keeps it if both are the same file already, as when an epoch is repeated after a kill
        temporary.unlink(missing_ok=True)


def _check_sums(file: BinaryIO) -> None:
    """Compares every record with its CRC-32."""
    with zipfile.ZipFile(file) as records:
        if records.testzip() is not None:
            raise ValueError("its checksum does not match")
    file.seek(0)


class Checkpoint(NamedTuple):
    """A checkpoint that can be read, and the epochs that were done when it was written."""

    path: Path
    epochs: int


def last_checkpoint(folder: Path) -> Checkpoint | None:
    """The checkpoint to resume from: the newest that is not damaged; None if there is none at all."""
    damaged: list[tuple[Path, str]] = []
    for path in (folder / "checkpoints" / name for name in (_LAST, _PREVIOUS)):
        if not path.exists() and not path.is_symlink():
            continue
        try:
            found = Checkpoint(path, int(AtomicCheckpointIO().load_checkpoint(path, "cpu")["epoch"]) + 1)
        except _DAMAGES as error:
            damaged.append((path, _reason(error)))
            continue
        for other, reason in damaged:
            say(f"{other} is damaged ({reason}); training continues from {path}, after epoch {found.epochs}.")
        return found
    if damaged:
        path, reason = damaged[0]
        raise WorkError(
            f"{path} cannot be read ({reason}), and there is no intact checkpoint before it; delete "
            f"{path.parent} to train this stage from the start."
        )
    return None


def _reason(error: Exception) -> str:
    if isinstance(error, pickle.UnpicklingError):
        return "it holds more than tensors and plain values"
    if isinstance(error, KeyError):
        return "it is not a checkpoint of a stage"
    return (error.strerror if isinstance(error, OSError) else None) or " ".join(str(error).split())[:120]


class _LastCheckpoint(ModelCheckpoint):
    """Restores nothing of itself: it has one file, and the paths it would restore are wrong in a folder that was moved
    or copied."""

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        del state_dict


def keep_last(folder: Path) -> ModelCheckpoint:
    """`checkpoints/last.ckpt` after every epoch; never the best epoch on some split, which would bias the results."""
    return _LastCheckpoint(
        folder / "checkpoints",
        filename="last",
        enable_version_counter=False,
        save_on_train_epoch_end=True,
        save_top_k=1,
    )
