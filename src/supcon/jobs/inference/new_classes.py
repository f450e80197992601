"""A run's model with classes that are added from a folder of images, without training."""

from pathlib import Path

from supcon.base.errors import RequestError
from supcon.data import class_folders
from supcon.jobs.inference.run_gallery import open_gallery
from supcon.serving import Model, add_classes


def with_prototypes(run: str | Path, model: Model, folder: str | Path) -> Model:
    """The model with the classes in `folder`, one folder of images each, added by prototype.

    The prototypes of the run's own classes are the means of its training images, which are encoded once.
    """
    root = Path(folder).expanduser()
    if not root.is_dir():
        raise RequestError(f"There is no folder {root}; put the images of each new class into {root}/CLASS/.")
    new = {path.name: path for path in class_folders(root)}
    if not new:
        raise RequestError(f"{root} has no folders of images; put the images of each new class into {root}/CLASS/.")
    if not Path(run).is_dir():
        raise RequestError(f"--prototypes needs the folder of a run, whose training images it uses, got {run}.")
    gallery, _ = open_gallery(run, model)
    return add_classes(model, gallery, new)
