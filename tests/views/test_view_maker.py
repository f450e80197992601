"""The choice between batched and per-image views, and the multiviewed batch that both give."""

from typing import Any

import pytest
import torch

from supcon.views import Place, ViewsConfig, make_view_maker


def seeded(seed: int = 0) -> torch.Generator:
    return torch.Generator().manual_seed(seed)


@pytest.mark.parametrize(
    ("engine", "stored", "device", "in_loader", "on_batch"),
    [
        ("auto", (32, 32), "cpu", [], 6),
        ("auto", (64, 64), "cpu", [], 6),
        ("auto", (64, 65), "cpu", ["CropFlip", "rest"], 0),
        ("auto", None, "cpu", ["CropFlip"], 5),
        ("auto", (256, 256), "cuda", [], 6),
        ("auto", None, "cuda", ["CropFlip"], 5),
        ("batched", (256, 256), "cpu", [], 6),
        ("batched", None, "cpu", ["CropFlip"], 5),
        ("per-image", (32, 32), "cuda", ["CropFlip", "rest"], 0),
    ],
)
def test_chooses_the_engine(
    engine: Any, stored: tuple[int, int] | None, device: str, in_loader: list[str], on_batch: int
) -> None:
    config = ViewsConfig(augmentation="stacked-rand-augment", engine=engine, count=3)
    view_maker = make_view_maker(config, 32, 3, stored, device)
    assert (view_maker.in_loader is not None) == bool(in_loader)
    assert (len(view_maker.on_batch.steps) if view_maker.on_batch else 0) == on_batch


@pytest.mark.parametrize("name", ["crop-flip", "sim-augment"])
@pytest.mark.parametrize(("engine", "stored"), [("batched", (48, 48)), ("batched", None), ("per-image", None)])
def test_arranged_views_are_a_multiviewed_batch(name: Any, engine: Any, stored: Any, photos: Any) -> None:
    config = ViewsConfig(augmentation=name, engine=engine, count=3)
    view_maker = make_view_maker(config, 32, 3, stored, "cpu")
    images, generator = photos(5, 3, 48, 48), seeded()
    batch = images
    if view_maker.in_loader is not None:
        batch = torch.stack([view_maker.in_loader(image, generator=generator) for image in images])
    views = view_maker(batch, generator=generator)
    assert views.shape == (5, 3, 3, 32, 32)
    assert views.dtype == torch.uint8
    assert len(views.flatten(0, 1).flatten(1).unique(dim=0)) == 15


def test_views_that_the_loader_began_are_shared_too(photos: Any) -> None:
    view_maker = make_view_maker(ViewsConfig(engine="batched"), 32, 3, None, "cpu")
    begun = photos(12, 3, 32, 32).unflatten(0, (6, 2))
    whole = view_maker(begun, seeded())
    parts = [view_maker(begun[i : i + 3], seeded(), Place(i, 6)) for i in (0, 3)]
    assert torch.equal(whole, torch.cat(parts))
