from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from references.gloo_processes import in_processes
from supcon.base.cores import usable_cores
from supcon.base.errors import RequestError
from supcon.data.batches.loader import BatchIndex, EpochBatches, SplitBatches, ordered_loader, training_loader
from supcon.data.batches.samplers import choose_draw
from supcon.data.config import SamplerName
from supcon.data.image_data import Split


def numbered(images: int) -> Split:
    """Every image is its own number, every label twice that, so that a batch shows where it comes from."""
    numbers = torch.arange(images)
    return Split(images=numbers.to(torch.uint8).view(-1, 1, 1, 1).expand(-1, 1, 2, 2), labels=2 * numbers)


def order(seed: int, epoch: int, images: int = 50, batch_size: int = 8) -> list[list[int]]:
    batches = EpochBatches(images, batch_size, shuffle=True, seed=seed)
    batches.set_epoch(epoch)
    assert all(batch.epoch == epoch for batch in batches)
    return [batch.images.tolist() for batch in batches]


@settings(deadline=None)
@given(st.integers(1, 200), st.integers(1, 50))
def test_evaluation_sees_every_image_once_and_in_order(images: int, batch_size: int) -> None:
    batches = EpochBatches(images, batch_size, shuffle=False, seed=0)
    found = [batch.images for batch in batches]
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


# Work on single images


def label_of(image: torch.Tensor, epoch: int, index: int, repeat: int) -> torch.Tensor:
    """Two numbers for every image: the epoch and where the image stands in the split, which is also its pixel."""
    assert (image == index).all()
    assert repeat == 0
    return torch.tensor([epoch, index])


def test_a_step_for_each_image_knows_epoch_and_place() -> None:
    batch, labels = SplitBatches(numbered(20), label_of)[BatchIndex(7, torch.tensor([4, 19]), torch.tensor([0, 0]))]
    assert batch.tolist() == [[7, 4], [7, 19]]
    assert labels.tolist() == [8, 38]


def test_a_step_for_each_image_runs_in_workers_and_follows_the_epoch() -> None:
    loader = training_loader(numbered(20), 6, seed=5, per_image=label_of)
    assert loader.num_workers == usable_cores()
    for epoch in (0, 3):
        loader.sampler.set_epoch(epoch)  # type: ignore[attr-defined]
        batches = list(loader)
        assert [(labels // 2).tolist() for _, labels in batches] == order(5, epoch, 20, 6)
        for images, labels in batches:
            assert images[:, 0].tolist() == [epoch] * 6
            assert torch.equal(images[:, 1], labels // 2)


@given(
    batches=st.lists(st.lists(st.integers(0, 4), min_size=6, max_size=6), min_size=1, max_size=5),
    processes=st.sampled_from([1, 2, 3]),
)
def test_repeats_count_what_was_drawn_before_in_the_epoch(batches: list[list[int]], processes: int) -> None:
    def draw(*_: object) -> Iterator[torch.Tensor]:
        return iter([torch.tensor(batch) for batch in batches])

    ranks = [
        list(EpochBatches(60, 6, shuffle=True, draw=draw, rank=rank, processes=processes)) for rank in range(processes)
    ]
    seen: Counter[int] = Counter()
    for number, batch in enumerate(batches):
        found = torch.cat([rank[number].repeats for rank in ranks]).tolist()
        for image, repeat in zip(batch, found, strict=True):
            assert repeat == seen[image]
            seen[image] += 1


def test_the_processes_of_a_machine_divide_its_cores() -> None:
    def workers(processes: int) -> int:
        return training_loader(numbered(20), 6, seed=5, per_image=label_of, local_processes=processes).num_workers

    assert workers(1) == usable_cores()
    assert workers(2) == max(1, usable_cores() // 2)
    assert workers(1000) == 1


def test_slicing_memory_needs_no_workers() -> None:
    assert training_loader(numbered(20), 6, seed=5).num_workers == ordered_loader(numbered(20), 6).num_workers == 0


# Several processes


@settings(deadline=None)
@given(st.integers(1, 6), st.integers(1, 8), st.integers(0, 60), st.sampled_from(["plain", "m-per-class"]))
def test_processes_together_see_what_one_would_have_seen(
    processes: int, part: int, more: int, sampler: SamplerName
) -> None:
    size = processes * part
    labels = torch.arange(size + more) % 3
    draw = choose_draw(sampler, labels, 2)

    def index(rank: int, count: int) -> list[torch.Tensor]:
        batches = EpochBatches(len(labels), size, shuffle=True, seed=3, draw=draw, rank=rank, processes=count)
        batches.set_epoch(5)
        assert len(batches) == len(labels) // size
        return [batch.images for batch in batches]

    alone = index(0, 1)
    shares = [index(rank, processes) for rank in range(processes)]
    assert all(len(share) == part for batches in shares for share in batches)
    assert [torch.cat(shared).tolist() for shared in zip(*shares, strict=True)] == [batch.tolist() for batch in alone]


def test_a_batch_that_cannot_be_shared_evenly_is_refused() -> None:
    with pytest.raises(
        RequestError,
        match=r"^A batch of 10 images cannot be divided evenly among 4 processes; use --batch-size 8\.$",
    ):
        list(EpochBatches(20, 10, shuffle=True, rank=0, processes=4))


def _own_labels(rank: int, processes: int, folder: str) -> None:
    del processes
    seen = [labels for _, labels in training_loader(numbered(50), 8, seed=5)]
    torch.save(torch.stack(seen), f"{folder}/{rank}.pt")


def test_two_real_processes_share_the_batches_of_one(tmp_path: Path) -> None:
    in_processes(_own_labels, 2, tmp_path, str(tmp_path))
    shares = [torch.load(tmp_path / f"{rank}.pt", weights_only=True) for rank in (0, 1)]
    assert (torch.cat(shares, dim=1) // 2).tolist() == order(5, 0)


def test_memory_is_pinned_only_where_it_is_asked_for() -> None:
    assert not training_loader(numbered(20), 8, 0).pin_memory
    assert training_loader(numbered(20), 8, 0, pin_memory=True).pin_memory
