"""The work of `supcon embed`: representations and probabilities of any DATA, in a file; continues after a stop."""

import json
import shutil
import time
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from supcon.base.atomic_files import write_text
from supcon.base.checked_arguments import checked_arguments
from supcon.base.errors import RequestError, WorkError, disk_errors
from supcon.base.progress import bar
from supcon.data import DataConfig, ListedImages, describe_bad, list_images
from supcon.evaluation import centre_crop, fitting_batch
from supcon.jobs.inference.embedding_file import check_format, write_embeddings
from supcon.jobs.inference.left_out import refuse_gone, say_left_out
from supcon.jobs.inference.run_gallery import run_images
from supcon.runs import open_complete_run
from supcon.serving import Device, Model, gallery_key, load, torch_device

_SECONDS_BETWEEN_STATES = 2.0


@dataclass(kw_only=True)
class _State:
    """How far an embedding is: `state.json` in the folder of unfinished work."""

    key: str
    done: int = 0
    """Images that were read."""
    bad: dict[int, str] = field(default_factory=dict)
    """Those that could not be, with the reason."""

    @property
    def kept(self) -> int:
        return self.done - len(self.bad)


@checked_arguments
def embed(
    run: str | Path,
    data: str | Path | None = None,
    *,
    out: str | Path,
    batch_size: int | None = None,
    data_root: str | None = None,
    device: Device = "auto",
) -> Path:
    """Writes the representations of any DATA, by default of the run's own images, to a .npz or .parquet file.

    With them: path, label and split of every image, its probabilities and predicted class. Memory does not grow with
    the number of images. A stopped call continues where it was if it is repeated.
    """
    path = Path(out).expanduser()
    check_format(path)
    if batch_size is not None and batch_size < 1:
        raise RequestError(f"--batch-size must be at least 1, got {batch_size}.")
    model = load(run, torch_device(device))
    if data is None:
        images = run_images(open_complete_run(Path(run)))
    else:
        images = list_images(DataConfig(spec=str(data), root=data_root))
    folder = path.with_name(f".{path.name}.partial")
    state = _open(folder, gallery_key(model, images))
    rows, probabilities = (
        _mapped(folder / name, (len(images), width))
        for name, width in (("representations.npy", model.encoder.width), ("probabilities.npy", len(model.classes)))
    )
    with disk_errors(path):
        _encode(model, images, state, rows, probabilities, folder, batch_size)
        if state.bad:
            _check_bad(run, data, images, state, folder)
        write_embeddings(path, model, images, sorted(state.bad), rows[: state.kept], probabilities[: state.kept])
    shutil.rmtree(folder)
    return path


def _open(folder: Path, key: str) -> _State:
    """The state of an earlier call for the same model and images, or a new one."""
    try:
        values = json.loads((folder / "state.json").read_text(encoding="utf-8"))
        if values["key"] == key:
            return _State(key=key, done=values["done"], bad={int(row): why for row, why in values["bad"].items()})
    except (OSError, ValueError, KeyError):
        pass
    with disk_errors(folder):
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
    return _State(key=key)


def _mapped(file: Path, shape: tuple[int, int]) -> NDArray[np.float32]:
    if file.exists():
        kept: NDArray[np.float32] = np.load(file, mmap_mode="r+", allow_pickle=False)
        return kept
    with disk_errors(file):
        return np.lib.format.open_memmap(file, mode="w+", dtype=np.float32, shape=shape)


def _encode(
    model: Model,
    images: ListedImages,
    state: _State,
    rows: NDArray[np.float32],
    probabilities: NDArray[np.float32],
    folder: Path,
    batch_size: int | None,
) -> None:
    """Fills `rows` and `probabilities` with the images that can be read, one after the other."""
    size = model.card.image_size
    saved = time.monotonic()
    with bar("representations", len(images), "images", done=state.done) as advance:
        for batch in images.batches(model.card.layout, batch_size or fitting_batch(size, model.device), state.done):
            good = [index for index, row in enumerate(batch.rows) if row not in batch.bad]
            encoded = model.encode(centre_crop(batch.images[good], size))
            here = slice(state.kept, state.kept + len(good))
            rows[here], probabilities[here] = encoded.cpu().numpy(), model.classify(encoded).cpu().numpy()
            state.done += len(batch.rows)
            state.bad |= batch.bad
            if time.monotonic() - saved > _SECONDS_BETWEEN_STATES:
                _save(state, folder)
                saved = time.monotonic()
            advance(steps=len(batch.rows))


def _save(state: _State, folder: Path) -> None:
    # What was written to the mapped files survives the end of this process, so that only the state has to follow.
    write_text(folder / "state.json", json.dumps({"key": state.key, "done": state.done, "bad": state.bad}))


def _check_bad(run: str | Path, data: str | Path | None, images: ListedImages, state: _State, folder: Path) -> None:
    """Names images that cannot be read; raises an error if they are most of them, or if all the data are gone."""
    try:
        refuse_gone(run, data)
        if len(state.bad) > state.kept:
            named = [(images.where(row), why) for row, why in state.bad.items()]
            raise WorkError(describe_bad(named, len(images), "nothing was written; repair or remove them"))
    except (RequestError, WorkError):
        shutil.rmtree(folder, ignore_errors=True)  # when the images are there again, they are read again
        raise
    say_left_out([f"{images.where(row)} ({why})" for row, why in state.bad.items()], len(images))
