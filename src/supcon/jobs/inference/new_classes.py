"""A run's model with classes that are added from a folder of images, without training."""

from pathlib import Path

from supcon.jobs.inference.new_class_folders import check_prototypes
from supcon.jobs.inference.run_gallery import open_gallery
from supcon.serving import Model, add_classes


def with_prototypes(run: str | Path, model: Model, folder: str | Path) -> Model:
    """The model with the classes in `folder`, one folder of images each, added by prototype.

    The prototypes of the run's own classes are the means of its training images, which are encoded once.
    """
    new = check_prototypes(run, folder)
    gallery, _ = open_gallery(run, model)
    return add_classes(model, gallery, new)
