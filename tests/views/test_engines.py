"""Batches against torchvision: the same draws give the same images, other draws the same distribution."""

from typing import Any

import numpy as np
import pytest
import torch
from PIL import Image
from torch import Tensor
from torchvision.transforms import v2

from supcon.views import (
    AutoAugment,
    Chain,
    CropFlip,
    Place,
    RandAugment,
    SimAugment,
    StackedRandAugment,
    ViewsConfig,
    WorkerViews,
    make_augmentation,
    make_view_maker,
    make_views,
)
from supcon.views.config import OperationSet
from supcon.views.kernels.operations import NAMES, Operation, OperationName
from supcon.views.kernels.torchvision_kernels import from_pil, to_pil
from supcon.views.rand_augment import rand_augment_operations
from supcon.views.steps.policy_step import Operations, PolicyStep


def seeded(seed: int = 0) -> torch.Generator:
    return torch.Generator().manual_seed(seed)


@pytest.mark.parametrize("channels", [1, 3])
@pytest.mark.parametrize("side", [32, 100])
@pytest.mark.parametrize("operation", rand_augment_operations(7, "authors"), ids=lambda operation: operation.name)
def test_operations_of_both_engines_agree(operation: Any, side: int, channels: int, photos: Any) -> None:
    images = photos(6, channels, side, side)
    step = PolicyStep([((operation, 1.0),)], "authors")
    drawn = step.parameters(torch.rand(6, step.uniform_draws, generator=seeded()), side, side)
    batched, each = step.apply_batched(images.clone(), drawn), step.apply_each(images, drawn)
    difference = (batched.int() - each.int()).abs()
    if operation.name in ("shear-x", "shear-y", "rotate"):
        # PIL rounds source coordinates down after adding a half, in fixed point; that moves an edge by a pixel.
        assert float((difference > 2).double().mean()) < 0.04
    else:
        assert int(difference.max()) <= 1


@pytest.mark.parametrize("name", ["crop-flip", "sim-augment", "auto-augment", "rand-augment", "stacked-rand-augment"])
def test_an_image_alone_gets_what_it_gets_in_a_batch(name: Any, photos: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    image = photos(1, 3, 130, 100)[0]
    augmentation = make_augmentation(ViewsConfig(augmentation=name), 96, 3)
    alone = WorkerViews(augmentation, count=24)(image, generator=seeded())
    assert alone.shape == (24, 3, 96, 96)
    for kernels in ("crop_flip", "steps.policy_step"):
        monkeypatch.setattr(f"supcon.views.{kernels}.image_by_image", lambda *_: False)
    in_batch = augmentation(image.expand(24, -1, -1, -1), generator=seeded())
    difference = (alone.float() - in_batch.float()).abs().mean(dim=(1, 2, 3))
    assert float(difference.median()) < 1.0
    assert float(difference.mean()) < 2.0


def test_pil_and_tensor_images_give_the_same_views(photos: Any) -> None:
    per_image = WorkerViews(make_augmentation(ViewsConfig(augmentation="stacked-rand-augment"), 64, 3), count=2)
    image = photos(1, 3, 90, 120)[0]
    from_tensor, from_file = (per_image(given, generator=seeded(3)) for given in (image, to_pil(image)))
    assert torch.equal(from_tensor, from_file)
    assert from_tensor.dtype == torch.uint8
    assert not torch.equal(from_tensor[0], from_tensor[1])


@pytest.mark.parametrize("channels", [1, 3])
def test_pil_round_trip(channels: int, photos: Any) -> None:
    image = photos(1, channels, 9, 7)[0]
    assert torch.equal(from_pil(to_pil(image)), image)


def test_size_of_the_image_where_none_is_asked_for(photos: Any) -> None:
    assert WorkerViews(CropFlip(), count=1)(photos(1, 1, 30, 50)[0]).shape == (1, 1, 30, 50)


def test_wrong_images_are_refused(photos: Any) -> None:
    per_image = WorkerViews(CropFlip(8))
    with pytest.raises(ValueError, match=r"image must have PIL's mode L or RGB, got CMYK; convert it first."):
        per_image(Image.new("CMYK", (20, 20)))
    with pytest.raises(ValueError, match=r"image must be uint8 .*, got torch.float32 \[3, 20, 20\]; convert it first."):
        per_image(torch.zeros(3, 20, 20))
    with pytest.raises(ValueError, match=r"must start with the random crop, got one that starts with PolicyStep"):
        WorkerViews(RandAugment())
    with pytest.raises(ValueError, match=r"count must be at least 1, got 0"):
        WorkerViews(CropFlip(8), count=0)


def statistics(views: Tensor) -> Tensor:
    """Of each view: mean, spread, colourfulness, and how much neighbours differ."""
    values = views.float() / 255
    colour = values.amax(dim=1) - values.amin(dim=1)
    edges = (values[..., 1:] - values[..., :-1]).abs()
    parts = [values.mean(dim=(1, 2, 3)), values.std(dim=(1, 2, 3)), colour.mean(dim=(1, 2)), edges.mean(dim=(1, 2, 3))]
    return torch.stack(parts, dim=1).double()


CROP = [v2.RandomResizedCrop(32, scale=(0.2, 1.0)), v2.RandomHorizontalFlip()]
COLOUR = [v2.RandomApply([v2.ColorJitter(0.4, 0.4, 0.4, 0.1)], p=0.8), v2.RandomGrayscale(0.2)]
BLUR = [v2.RandomApply([v2.GaussianBlur(3, (0.1, 2.0))], p=0.5)]
OURS = SimAugment(32, crop_area=(0.2, 1.0), warp_probability=0.0)

PIPELINES = {
    "sim-augment": (OURS, [*CROP, *COLOUR, *BLUR]),
    "auto-augment": (AutoAugment("imagenet"), [v2.AutoAugment()]),
    "auto-augment-cifar10": (AutoAugment("cifar10"), [v2.AutoAugment(v2.AutoAugmentPolicy.CIFAR10)]),
    "rand-augment": (RandAugment(2, 9, operations="torchvision"), [v2.RandAugment(2, 9)]),
    "stacked": (
        StackedRandAugment(2, 9, operations="torchvision", sim_augment=OURS),
        [*CROP, v2.RandAugment(2, 9), *COLOUR, *BLUR],
    ),
}


@pytest.mark.parametrize("name", PIPELINES)
def test_distributed_as_torchvisions_pipeline(name: str, photos: Any) -> None:
    """Means and spreads of simple statistics over many draws on one image."""
    ours, theirs = PIPELINES[name]
    image, draws = photos(1, 3, 32, 32)[0], 1200
    got = statistics(ours(image.expand(8 * draws, -1, -1, -1), generator=seeded()))
    torch.manual_seed(0)
    pipeline, picture = v2.Compose(theirs), to_pil(image)
    expected = statistics(torch.stack([from_pil(pipeline(picture)) for _ in range(draws)]))
    error = (got.var(dim=0) / len(got) + expected.var(dim=0) / draws).sqrt()
    # torchvision's cuts to whole numbers between operations darken by up to a level each.
    assert torch.all((got.mean(dim=0) - expected.mean(dim=0)).abs() <= 4.5 * error + 2 / 255)
    assert torch.allclose(got.std(dim=0), expected.std(dim=0), rtol=0.12, atol=0.002)


@pytest.mark.parametrize(
    ("engine", "stored", "device", "in_loader", "on_batch"),
    [
        ("auto", (32, 32), "cpu", [], 6),
        ("auto", (64, 64), "cpu", [], 6),
        ("auto", (64, 65), "cpu", ["CropFlip", "rest"], 0),
        ("auto", None, "cpu", ["CropFlip", "rest"], 0),
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


def test_policy_step_takes_large_images_one_by_one(photos: Any) -> None:
    """And small ones together: both ways give what the same draws say."""
    step = RandAugment(1, 9).steps[0]
    for side in (64, 65):
        images = photos(40, 3, side, side)
        drawn = step.parameters(torch.rand(40, step.uniform_draws, generator=seeded()), side, side)
        assert isinstance(step, PolicyStep)
        expected = step.apply_batched(images.clone(), drawn) if side == 64 else step.apply_each(images, drawn)
        assert torch.equal(Chain([step]).apply(images, [drawn]), expected)


def test_all_kinds_were_drawn() -> None:
    drawn = Operations(*RandAugment(1, 9).draw(400, 32, 32, seeded())[0])
    assert len(drawn.kinds.unique()) == len(NAMES)


def test_border_of_each_set() -> None:
    """The authors' code mirrors the image where a move uncovers pixels; torchvision's fills with black."""
    white = torch.full((60, 1, 16, 16), 255, dtype=torch.uint8)
    borders: tuple[tuple[OperationSet, list[int]], ...] = (("authors", [255]), ("torchvision", [0, 255]))
    for operations, levels in borders:
        step = PolicyStep([((rand_augment_operations(10, "authors")[NAMES.index("rotate")], 1.0),)], operations)
        turned = Chain([step])(white, generator=seeded())
        assert np.unique(turned.numpy()).tolist() == levels, operations


@pytest.mark.parametrize("operations", ["authors", "torchvision"])
@pytest.mark.parametrize("name", ["translate-x", "translate-y", "cutout"])
def test_both_engines_count_the_same_pixels(name: OperationName, operations: OperationSet, photos: Any) -> None:
    """A share that float32 leaves just below a whole number of pixels is that number: 100 of 224, not 99."""
    images = photos(30, 3, 224, 224)
    strengths = torch.tensor([pixels / 224 for pixels in range(86, 116)]).unsqueeze(1)
    drawn = Operations(torch.full((30, 1), NAMES.index(name)), strengths, torch.full((30, 1, 2), 0.5))
    step = PolicyStep([((Operation(name), 1.0),)], operations)
    assert torch.equal(step.apply_batched(images.clone(), drawn), step.apply_each(images, drawn))
    if name == "translate-x":
        moved = step.apply_each(images, drawn)[14, :, :, 112:]
        source = images[14, :, :, 12:124] if operations == "torchvision" else images[14, :, :, 212:]
        assert torch.equal(moved[..., : source.shape[-1]], source)


def test_v0_leaves_no_view_empty(photos: Any) -> None:
    """With a flat fill, translate-y by 225 of 224 pixels would leave 3 % of all views without a picture."""
    views = AutoAugment("imagenet-v0")(photos(1, 3, 32, 32).expand(600, -1, -1, -1), generator=seeded())
    assert int((views.flatten(1).float().std(dim=1) == 0).sum()) == 0


@pytest.mark.parametrize("name", ["crop-flip", "sim-augment", "auto-augment", "stacked-rand-augment"])
def test_processes_that_share_a_batch_make_the_views_of_one(name: Any, photos: Any) -> None:
    images = photos(12, 3, 32, 32)
    augmentation = make_augmentation(ViewsConfig(augmentation=name), 32, 3)
    whole = make_views(images, augmentation, 2, seeded())
    parts = [make_views(images[i : i + 4], augmentation, 2, seeded(), Place(i, 12)) for i in (0, 4, 8)]
    assert torch.equal(whole, torch.cat(parts))


def test_views_that_the_loader_began_are_shared_too(photos: Any) -> None:
    view_maker = make_view_maker(ViewsConfig(engine="batched"), 32, 3, None, "cpu")
    begun = photos(12, 3, 32, 32).unflatten(0, (6, 2))
    whole = view_maker(begun, seeded())
    parts = [view_maker(begun[i : i + 3], seeded(), Place(i, 6)) for i in (0, 3)]
    assert torch.equal(whole, torch.cat(parts))
