from collections import Counter

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from supcon.data.batches.samplers import ShuffledRounds, choose_draw
from supcon.data.config import SamplerName

SAMPLERS: tuple[SamplerName, ...] = ("plain", "class-balanced", "m-per-class")


def seeded(seed: int = 0) -> torch.Generator:
    return torch.Generator().manual_seed(seed)


def draw(sampler: SamplerName, labels: torch.Tensor, batch_size: int, group: int = 4, seed: int = 0) -> list[list[int]]:
    batches = choose_draw(sampler, labels, group)(len(labels), batch_size, seeded(seed))
    return [batch.tolist() for batch in batches]


@settings(deadline=None, max_examples=60)
@given(
    st.sampled_from(SAMPLERS),
    st.lists(st.integers(1, 12), min_size=1, max_size=8),
    st.integers(1, 30),
    st.integers(1, 5),
    st.integers(0, 99),
)
def test_full_batches_of_different_images(
    sampler: SamplerName, counts: list[int], batch_size: int, group: int, seed: int
) -> None:
    labels = torch.repeat_interleave(torch.arange(len(counts)) - 1, torch.tensor(counts))  # -1 is unlabelled
    batches = draw(sampler, labels, min(batch_size, len(labels)), group, seed)
    assert len(batches) == len(labels) // min(batch_size, len(labels))
    for batch in batches:
        assert len(set(batch)) == len(batch) == min(batch_size, len(labels))


def test_balanced_classes_have_the_same_share_whatever_their_size() -> None:
    labels = torch.tensor([0] * 200 + [1] * 30 + [2] * 12)
    for batch in draw("class-balanced", labels, 32):
        counts = sorted(Counter(labels[batch].tolist()).values())
        assert counts == [10, 11, 11]


def test_balance_over_an_epoch_when_there_are_more_classes_than_places() -> None:
    labels = torch.arange(40).repeat_interleave(torch.arange(1, 41))
    seen = Counter(labels[torch.tensor(draw("class-balanced", labels, 10)).flatten()].tolist())
    # 82 batches of 10: every class has 20 or 21 turns, though the largest has forty times as many images.
    assert set(seen) == set(range(40))
    assert set(seen.values()) <= {20, 21}


def test_m_images_of_every_class_that_is_in_a_batch() -> None:
    labels = torch.arange(25).repeat(20)
    batches = draw("m-per-class", labels, 40, group=5)
    for batch in batches:
        assert sorted(Counter(labels[batch].tolist()).values()) == [5] * 8
    met = Counter(label for batch in batches for label in set(labels[batch].tolist()))
    assert set(met) == set(range(25))
    assert max(met.values()) - min(met.values()) <= 1


def test_a_class_smaller_than_its_share_gives_what_it_has() -> None:
    labels = torch.tensor([0] * 2 + [1] * 50 + [2] * 50)
    for batch in draw("m-per-class", labels, 12, group=4):
        counts = Counter(labels[batch].tolist())
        assert counts[0] == 2
        assert sorted((counts[1], counts[2])) in ([4, 6], [5, 5])


def test_an_image_comes_again_only_when_all_of_its_class_have_come() -> None:
    labels = torch.tensor([0] * 60 + [1] * 7)
    seen = Counter(dict.fromkeys(range(60, 67), 0))
    for batch in draw("class-balanced", labels, 8):
        seen.update(i for i in batch if i >= 60)
        assert max(seen.values()) - min(seen.values()) <= 1


@settings(deadline=None)
@given(st.integers(1, 9), st.lists(st.integers(0, 9), min_size=1, max_size=20), st.integers(0, 50))
def test_a_draw_has_no_item_twice_and_a_round_has_every_item(size: int, counts: list[int], seed: int) -> None:
    rounds = ShuffledRounds(list(range(size)), seeded(seed))
    drawn: Counter[int] = Counter()
    for count in counts:
        taken = rounds.take(min(count, size))
        assert len(set(taken)) == len(taken) == min(count, size)
        drawn.update(taken)
    assert max(drawn[item] for item in range(size)) - min(drawn[item] for item in range(size)) <= 1


@pytest.mark.parametrize("sampler", SAMPLERS)
def test_the_generator_decides_and_nothing_else(sampler: SamplerName) -> None:
    labels = torch.arange(5).repeat(8)
    first = draw(sampler, labels, 10, seed=1)
    torch.manual_seed(9)
    assert draw(sampler, labels, 10, seed=1) == first
    assert draw(sampler, labels, 10, seed=2) != first
