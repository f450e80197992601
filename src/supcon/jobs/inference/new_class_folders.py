"""The folders of `supcon predict --prototypes`, checked before torch is imported."""

from pathlib import Path

from supcon.base.checked_arguments import checked_path
from supcon.base.errors import RequestError
from supcon.data import class_folders


def check_prototypes(run: str | Path, folder: str | Path) -> dict[str, Path]:
    """The folder of images of every new class by its name; raises an error if there is none, or no run's folder."""
    root = checked_path(folder, "--prototypes")
    if not root.is_dir():
        raise RequestError(f"There is no folder {root}; put the images of each new class into {root}/CLASS/.")
    new = {path.name: path for path in class_folders(root)}
    if not new:
        raise RequestError(f"{root} has no folders of images; put the images of each new class into {root}/CLASS/.")
    if not Path(run).is_dir():
        raise RequestError(f"--prototypes needs the folder of a run, whose training images it uses, got {run}.")
    return new
