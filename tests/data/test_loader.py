import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from supcon.data.image_data import Split
from supcon.data.loader import EpochBatches, ordered_loader, training_loader
from supcon.errors import RequestError


def numbered(images: int) -> Split:
    """Every image is its own number, every label twice that, so that a batch shows where it comes from."""
    numbers = torch.arange(images)
    return Split(images=numbers.to(torch.uint8).view(-1, 1, 1, 1).expand(-1, 1, 2, 2), labels=2 * numbers)


def order(seed: int, epoch: int, images: int = 50, batch_size: int = 8) -> list[list[int]]:
    batches = EpochBatches(images, batch_size, shuffle=True, seed=seed)
    batches.set_epoch(epoch)
    return [batch.tolist() for batch in batches]


@settings(deadline=None)
@given(st.integers(1, 200), st.integers(1, 50))
def test_evaluation_sees_every_image_once_and_in_order(images: int, batch_size: int) -> None:
    batches = EpochBatches(images, batch_size, shuffle=False, seed=0)
    found = list(batches)
    assert torch.cat(found).tolist() == list(range(images))
    assert len(batches) == len(found)
    assert all(len(batch) == batch_size for batch in found[:-1])


@settings(deadline=None)
@given(st.integers(1, 200), st.integers(1, 50), st.integers(0, 2**32 - 1), st.integers(0, 1000))
def test_training_sees_full_batches_of_different_images(images: int, batch_size: int, seed: int, epoch: int) -> None:
    images = max(images, batch_size)
    found = order(seed, epoch, images, batch_size)
    assert [len(batch) for batch in found] == [batch_size] * (images // batch_size)
    flat = [index for batch in found for index in batch]
    assert len(set(flat)) == len(flat)
    assert set(flat) <= set(range(images))
    assert len(EpochBatches(images, batch_size, shuffle=True, seed=seed)) == len(found)


def test_the_order_depends_on_seed_and_epoch_and_nothing_else() -> None:
    first = order(0, 0)
    torch.manual_seed(123)
    torch.rand(7)
    assert order(0, 0) == first
    seen = [str(order(seed, epoch)) for seed in range(3) for epoch in range(3)]
    assert len(set(seen)) == 9


def test_the_order_leaves_the_global_generator_alone() -> None:
    state = torch.get_rng_state()
    order(0, 0)
    assert torch.equal(torch.get_rng_state(), state)


def test_images_left_out_of_an_epoch_are_others_every_time() -> None:
    left_out = {frozenset(range(50)).difference(*order(0, epoch)) for epoch in range(5)}
    assert len(left_out) == 5


def test_training_loader_keeps_images_with_their_labels() -> None:
    loader = training_loader(numbered(20), 6, seed=1)
    batches = list(loader)
    assert len(loader) == len(batches) == 3
    for images, labels in batches:
        assert images.shape == (6, 1, 2, 2)
        assert images.dtype == torch.uint8
        assert torch.equal(2 * images[:, 0, 0, 0].long(), labels)


def test_training_loader_order_is_that_of_the_epoch() -> None:
    loader = training_loader(numbered(50), 8, seed=5)
    loader.sampler.set_epoch(3)  # type: ignore[attr-defined]
    assert [(labels // 2).tolist() for _, labels in loader] == order(5, 3)


def test_ordered_loader_keeps_the_partial_batch() -> None:
    batches = list(ordered_loader(numbered(20), 6))
    assert [len(labels) for _, labels in batches] == [6, 6, 6, 2]
    assert torch.cat([images[:, 0, 0, 0] for images, _ in batches]).tolist() == list(range(20))


@pytest.mark.parametrize(("images", "advice"), [(20, 10), (3, 2)])
def test_a_batch_larger_than_the_training_set_is_refused(images: int, advice: int) -> None:
    with pytest.raises(
        RequestError,
        match=rf"^The batch size 21 is larger than the training set of {images} images; "
        rf"use --batch-size {advice} or less\.$",
    ):
        training_loader(numbered(images), 21, seed=0)


def test_a_batch_as_large_as_the_training_set_is_one_step() -> None:
    assert len(training_loader(numbered(20), 20, seed=0)) == 1


def test_evaluation_takes_any_batch_size() -> None:
    assert [len(labels) for _, labels in ordered_loader(numbered(3), 512)] == [3]
