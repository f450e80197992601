"""Draws views of an augmentation, to check it before training."""

from collections.abc import Sequence
from dataclasses import replace

import torch
from PIL import Image
from torch import Tensor

from supcon.base.errors import RequestError
from supcon.views.augmentation import Augmentation, check_images
from supcon.views.augmentation_from_config import make_augmentation
from supcon.views.chain import Chain
from supcon.views.config import LARGEST_MAGNITUDE, ViewsConfig
from supcon.views.contact_sheet import Cell, draw_cells
from supcon.views.kernels.torchvision_kernels import to_pil
from supcon.views.number_checks import check_at_least_one, check_sheet
from supcon.views.rand_augment import rand_augment_operations
from supcon.views.steps.policy_step import PolicyStep


def draw_views(
    images: Tensor, config: ViewsConfig, size: int, *, count: int = 6, generator: torch.Generator | None = None
) -> Image.Image:
    """A row for each image: the image, then `count` views, labelled with names and strengths of their operations."""
    check_images(images)
    check_at_least_one("count", count)
    check_sheet(len(images), count)
    augmentation = make_augmentation(config, size, images.shape[1])
    rows = [[Cell(to_pil(image), ["image"])] for image in images.cpu()]
    for _ in range(count):
        for row, cell in zip(rows, _cells(images, augmentation, generator), strict=True):
            row.append(cell)
    return draw_cells(rows, title=_title(config))


def draw_sweep(
    images: Tensor,
    config: ViewsConfig,
    size: int,
    *,
    magnitudes: Sequence[float] | None = None,
    generator: torch.Generator | None = None,
) -> Image.Image:
    """Rows in which only the magnitude increases.

    RandAugment and Stacked RandAugment: a row for each operation, on the first image, over RandAugment's magnitude.
    SimAugment: a row for each image, with the same random numbers, over the strength of the jitter.
    """
    check_images(images)
    if config.augmentation in ("rand-augment", "stacked-rand-augment"):
        return _sweep_operations(images[:1].cpu(), config, magnitudes)
    if config.augmentation == "sim-augment":
        return _sweep_jitter(images, config, size, magnitudes or (0.0, 0.25, 0.5, 0.75, 1.0), generator)
    raise RequestError(
        f"augmentation must have a magnitude to sweep, got {config.augmentation}; "
        "choose sim-augment, rand-augment or stacked-rand-augment."
    )


def _sweep_operations(image: Tensor, config: ViewsConfig, magnitudes: Sequence[float] | None) -> Image.Image:
    kind = config.rand_augment_operations
    largest = LARGEST_MAGNITUDE[kind]
    levels = magnitudes or [largest * step / 5 for step in range(6)]
    columns = []
    for level in levels:
        steps = [PolicyStep([((operation, 1.0),)], kind) for operation in rand_augment_operations(level, kind)]
        # The same random numbers for every operation and magnitude, so that signs and positions are equal in a row.
        cells = [_cells(image, Chain([step]), torch.Generator().manual_seed(1))[0] for step in steps]
        columns.append([Cell(cell.image, [f"magnitude {level:g}", *cell.lines]) for cell in cells])
    rows = [list(row) for row in zip(*columns, strict=True)]
    return draw_cells([row for row in rows if len(row[0].lines) > 1], title=f"RandAugment, {kind} operations")


def _sweep_jitter(
    images: Tensor, config: ViewsConfig, size: int, strengths: Sequence[float], generator: torch.Generator | None
) -> Image.Image:
    seed = int(torch.randint(2**62, (), generator=generator))
    rows = [[Cell(to_pil(image), ["image"])] for image in images.cpu()]
    for strength in strengths:
        stronger = replace(config, jitter_strength=float(strength), jitter_probability=1.0)
        augmentation = make_augmentation(stronger, size, images.shape[1])
        for row, cell in zip(rows, _cells(images, augmentation, torch.Generator().manual_seed(seed)), strict=True):
            row.append(Cell(cell.image, [f"strength {strength:g}", *cell.lines]))
    return draw_cells(rows, title="SimAugment, by the strength of its colour jitter")


def _cells(images: Tensor, augmentation: Augmentation, generator: torch.Generator | None) -> list[Cell]:
    drawn = augmentation.draw(len(images), images.shape[-2], images.shape[-1], generator)
    views = augmentation.apply(images, drawn).cpu()
    return [Cell(to_pil(view), lines) for view, lines in zip(views, augmentation.describe(drawn), strict=True)]


def _title(config: ViewsConfig) -> str:
    more = {
        "auto-augment": f", policy {config.auto_augment_policy}",
        "rand-augment": f", {config.rand_augment_layers} layers, magnitude {config.rand_augment_magnitude:g}",
    }
    more["stacked-rand-augment"] = more["rand-augment"] + f", {config.stacked_order}"
    return config.augmentation + more.get(config.augmentation, "")
