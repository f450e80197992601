"""A folder loaded in one of the ways to hold images, with a progress bar that remembers what it showed."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from supcon.data.config import DataConfig, HoldName
from supcon.data.image_data import ImageData
from supcon.data.load import load_data


class Bars:
    """A progress bar that remembers what it was asked to show."""

    def __init__(self) -> None:
        self.titles: list[str] = []

    @contextmanager
    def __call__(self, description: str, total: int, unit: str) -> Iterator[Callable[..., None]]:
        self.titles.append(description)
        yield lambda steps: None


def load(root: Path, hold: HoldName, bars: Bars | None = None, seed: int = 0) -> ImageData:
    return load_data(DataConfig(spec=str(root), hold=hold), seed, bars or Bars())
