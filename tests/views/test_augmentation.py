"""What holds for every augmentation: shapes, range, seeds, independent draws for every image."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image

import supcon.views.augmentation as module
from supcon.views import Augmentation, AutoAugment, Chain, CropFlip, RandAugment, SimAugment, StackedRandAugment

ALL: dict[str, Callable[[], Augmentation]] = {
    "crop-flip": CropFlip,
    "sim-augment": SimAugment,
    "auto-augment": AutoAugment,
    "auto-augment-cifar10": lambda: AutoAugment("cifar10"),
    "rand-augment": RandAugment,
    "rand-augment-torchvision": lambda: RandAugment(3, 20, operations="torchvision"),
    "stacked-rand-augment": StackedRandAugment,
    "stacked-jitter-first": lambda: StackedRandAugment(order="jitter-first"),
}


def seeded(seed: int = 0) -> torch.Generator:
    return torch.Generator().manual_seed(seed)


@pytest.mark.parametrize("name", ALL)
@settings(max_examples=12, deadline=None)
@given(
    batch=st.integers(0, 9),
    channels=st.sampled_from([1, 3]),
    height=st.integers(8, 40),
    width=st.integers(8, 40),
    dtype=st.sampled_from([torch.uint8, torch.float32]),
)
def test_keeps_shape_kind_and_range(
    name: str, batch: int, channels: int, height: int, width: int, dtype: torch.dtype
) -> None:
    generator = seeded(batch)
    images = torch.randint(0, 256, (batch, channels, height, width), dtype=torch.uint8, generator=generator)
    if dtype.is_floating_point:
        images = images / 255
    before = images.clone()
    views = ALL[name]()(images, generator=generator)
    assert views.shape == images.shape
    assert views.dtype == dtype
    assert torch.equal(images, before)
    assert bool(views.isfinite().all())
    if dtype.is_floating_point and batch:
        assert -1e-5 <= float(views.min()) <= float(views.max()) <= 1 + 1e-5


@pytest.mark.parametrize("name", ALL)
def test_same_seed_same_views(name: str, photos: Any) -> None:
    images, augmentation = photos(20, 3, 32, 32), ALL[name]()
    once, again = (augmentation(images, generator=seeded(5)) for _ in range(2))
    other = augmentation(images, generator=seeded(6))
    assert torch.equal(once, again)
    assert not torch.equal(once, other)


@pytest.mark.parametrize("name", ALL)
def test_nothing_but_the_generator_decides(name: str, photos: Any) -> None:
    """Neither the global seed nor earlier calls matter, so a resumed run continues the same stream."""
    images, augmentation = photos(20, 3, 32, 32), ALL[name]()
    generator = seeded(5)
    augmentation(images, generator=generator)
    state = generator.get_state()
    torch.manual_seed(1)
    expected = augmentation(images, generator=generator)
    torch.manual_seed(2)
    resumed = torch.Generator()
    resumed.set_state(state)
    assert torch.equal(ALL[name]()(images, generator=resumed), expected)


@pytest.mark.parametrize("name", ALL)
def test_every_image_has_its_own_draw(name: str, photos: Any) -> None:
    """Of 60 copies of one image few views are equal; equal ones are those to which nothing happened."""
    copies = photos(1, 3, 32, 32).expand(60, -1, -1, -1)
    views = ALL[name]()(copies, generator=seeded())
    assert len(views.flatten(1).unique(dim=0)) >= 10


@pytest.mark.parametrize("name", ALL)
def test_an_images_view_depends_on_its_own_draw_alone(name: str, photos: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever else is in the batch, and however the batch is cut into pieces."""
    images, augmentation = photos(30, 3, 32, 32), ALL[name]()
    drawn = augmentation.draw(30, 32, 32, seeded(1))
    together = augmentation.apply(images, drawn).int()
    monkeypatch.setitem(module._VALUES_AT_ONCE, "cpu", 4 * 3 * 32 * 32)
    in_pieces = augmentation.apply(images, drawn).int()
    # A product of matrices may round differently in a batch of another size; a table may stretch that difference.
    assert float(((together - in_pieces).abs() > 1).double().mean()) < 1e-3


@pytest.mark.parametrize("name", ALL)
def test_describes_every_image(name: str, photos: Any) -> None:
    images, augmentation = photos(40, 3, 32, 32), ALL[name]()
    drawn = augmentation.draw(40, 32, 32, seeded(1))
    lines = augmentation.describe(drawn)
    views = augmentation.apply(images, drawn)
    assert len(lines) == 40
    for image, view, said in zip(images, views, lines, strict=True):
        if not said:
            assert torch.equal(image, view)
    assert any(len(said) > 1 for said in lines)


@pytest.mark.parametrize("name", ALL)
def test_half_precision_around_it_changes_nothing(name: str, photos: Any) -> None:
    images, augmentation = photos(20, 3, 32, 32), ALL[name]()
    expected = augmentation(images, generator=seeded())
    with torch.autocast("cpu", dtype=torch.bfloat16):
        assert torch.equal(augmentation(images, generator=seeded()), expected)


@pytest.mark.parametrize("dtype", [torch.uint8, torch.float32])
@pytest.mark.parametrize("name", ALL)
def test_everything_happens_on_the_images_device(name: str, dtype: torch.dtype) -> None:
    """The meta device refuses to meet tensors of another one, as a GPU does; it computes shapes only."""
    images = torch.empty(300, 3, 32, 32, dtype=dtype, device="meta")
    views = ALL[name]()(images, generator=seeded())
    assert views.device.type == "meta"
    assert views.shape == images.shape
    assert views.dtype == dtype


@pytest.mark.parametrize("dtype", [torch.uint8, torch.float32])
def test_views_never_share_memory_with_the_images(dtype: torch.dtype, photos: Any) -> None:
    images = photos(4, 3, 16, 16).to(dtype)
    for augmentation in (Chain([]), AutoAugment("cifar10"), SimAugment(jitter_probability=0.0, grey_probability=0.0)):
        for seed in range(20):
            assert augmentation(images[:1], generator=seeded(seed)).data_ptr() != images.data_ptr()


@pytest.mark.parametrize(
    ("images", "message"),
    [
        (
            torch.zeros(3, 8, 8, dtype=torch.uint8),
            r"images must be \[batch, channel, height, width\] .* got \[3, 8, 8\]",
        ),
        (torch.zeros(1, 4, 8, 8, dtype=torch.uint8), r"with 1 or 3 channels, got \[1, 4, 8, 8\]; reshape or convert"),
        (torch.zeros(1, 3, 8, 8, dtype=torch.int64), r"images must be uint8, or float in \[0, 1\], got torch.int64"),
    ],
)
def test_wrong_images_are_refused(images: torch.Tensor, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        SimAugment()(images)


@pytest.mark.parametrize("images", [np.zeros((2, 8, 8, 3), dtype=np.uint8), Image.new("RGB", (8, 8))])
def test_arrays_and_pil_images_are_refused_with_the_way_to_convert_them(images: Any) -> None:
    expected = rf"^images must be a torch tensor, uint8 .* got {type(images).__name__}; .*permute.*pil_to_tensor"
    with pytest.raises(TypeError, match=expected):
        module.check_images(images)  # the tests check the types of what an augmentation is called with


@pytest.mark.parametrize(
    ("augmentation", "shown"),
    [
        (RandAugment(), "RandAugment(layers=2, magnitude=9)"),
        (RandAugment(3, 20, operations="torchvision"), "RandAugment(layers=3, magnitude=20, operations='torchvision')"),
        (SimAugment(32, hue=0.2), "SimAugment(size=32, hue=0.2)"),
        (AutoAugment("svhn"), "AutoAugment(policy='svhn')"),
        (CropFlip(flip_probability=0.0), "CropFlip(size=None, flip_probability=0.0)"),
        (
            StackedRandAugment(sim_augment=SimAugment(32)),
            "StackedRandAugment(layers=2, magnitude=10, sim_augment=SimAugment(size=32))",
        ),
        (Chain(CropFlip().steps), "Chain(steps=['CropFlipStep'])"),
    ],
)
def test_an_augmentation_shows_its_settings(augmentation: Augmentation, shown: str) -> None:
    assert repr(augmentation) == shown
