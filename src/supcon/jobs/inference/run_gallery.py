"""The gallery of a run: representations of images, built once, kept beside the run, built again when they changed."""

from pathlib import Path

import numpy as np

from supcon.base.progress import Bar, bar
from supcon.data import DataConfig, ListedImages, list_images, short_name
from supcon.jobs.data_names import source_digest
from supcon.jobs.inference.left_out import refuse_gone, say_left_out
from supcon.recipes import recipe_from_values
from supcon.runs import Run, open_complete_run
from supcon.serving import Gallery, Model, gallery_key


def run_images(run: Run) -> ListedImages:
    """The images that a run uses, in its splits, with the labels it was trained with."""
    recipe = recipe_from_values(run.recipe)
    return list_images(recipe.data, recipe.seed, split_table=run.split_table)


def open_gallery(
    run: str | Path,
    model: Model,
    data: str | Path | None = None,
    *,
    data_root: str | None = None,
    progress: Bar = bar,
) -> tuple[Gallery, ListedImages]:
    """The gallery of any DATA, by default of the run's own images, and the images themselves, in the same order.

    It is kept in `RUN/galleries/`, and built again if the model, an image, a label or a split has changed since.
    """
    opened = open_complete_run(Path(run))
    images = run_images(opened) if data is None else list_images(DataConfig(spec=str(data), root=data_root))
    folder = opened.path / "galleries" / _folder_name(data)
    gallery = Gallery.load(folder)
    if gallery is None or gallery.key != gallery_key(model, images):
        gallery = Gallery.build(model, images, progress)
        if len(gallery) < len(images):
            refuse_gone(run, data)
        gallery.save(folder)
    return gallery, _only(images, gallery)


def _folder_name(data: str | Path | None) -> str:
    if data is None:
        return "own"
    return f"{short_name(str(data))}-{source_digest(str(data))}"


def _only(images: ListedImages, gallery: Gallery) -> ListedImages:
    """The images of the gallery: without those that could not be read, which are named."""
    if len(images) == len(gallery):
        return images
    index_of = {name: index for index, name in enumerate(images.names)}
    kept = np.array([index_of[name] for name in gallery.names])
    left = np.setdiff1d(np.arange(len(images)), kept)
    say_left_out([f"{images.where(row)} (cannot be read)" for row in left.tolist()], len(images))
    return images.pick(kept)
