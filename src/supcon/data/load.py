"""The one place that understands what DATA means."""

import difflib
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from pathlib import Path

from supcon.data.catalogue import NAMES
from supcon.data.config import DataConfig
from supcon.data.digits import digits
from supcon.data.folder import Progress, folder
from supcon.data.image_data import ImageData
from supcon.errors import RequestError


def _no_bar(description: str, total: int) -> AbstractContextManager[Callable[[], None]]:
    del description, total
    return nullcontext(lambda: None)


def load_data(config: DataConfig, seed: int = 0, progress: Progress = _no_bar) -> ImageData:
    """Reads what `config.spec` names, in three splits; `seed` decides splits that the data does not bring."""
    if config.spec == "digits":
        data = digits(config.image_size)
    elif Path(config.spec).expanduser().is_dir():
        data = folder(config, seed, progress)
    else:
        raise RequestError(_unknown(config.spec))
    return _with_given_values(data, config)


def _unknown(spec: str) -> str:
    near = difflib.get_close_matches(spec, NAMES, n=1)
    hint = f"did you mean {near[0]!r}?" if near else f"the named sets are: {', '.join(NAMES)}."
    if Path(spec).expanduser().exists():
        return f"{spec} is a file, and a folder of images or the name of a data set is needed; {hint}"
    return f"There is no folder and no data set called {spec!r}; {hint}"


def _with_given_values(data: ImageData, config: DataConfig) -> ImageData:
    for name in ("mean", "std"):
        given = getattr(config, name)
        if given is not None and len(given) != data.channels:
            raise RequestError(f"data.{name} needs one value for each of {data.channels} channels, got {given}.")
    return replace(
        data,
        mean=config.mean or data.mean,
        std=config.std or data.std,
    )
