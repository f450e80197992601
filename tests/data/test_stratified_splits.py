import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from supcon.base.errors import RequestError
from supcon.data.stratified_splits import hold_out

class_counts = st.lists(st.integers(2, 30), min_size=2, max_size=8)
fractions = st.floats(0.01, 0.99)


@settings(max_examples=200, deadline=None)
@given(class_counts, fractions, st.integers(0, 2**32 - 1))
def test_a_split_is_a_partition_with_every_class_on_both_sides(counts: list[int], fraction: float, seed: int) -> None:
    labels = np.random.default_rng(seed).permutation(np.repeat(np.arange(len(counts)), counts))
    kept, held = hold_out(labels, fraction, seed)
    assert sorted([*kept, *held]) == list(range(len(labels)))
    assert set(labels[kept]) == set(labels[held]) == set(labels)
    assert (np.diff(kept) > 0).all()
    assert (np.diff(held) > 0).all()


@settings(max_examples=100, deadline=None)
@given(class_counts, fractions, st.integers(0, 1000))
def test_the_held_out_share_of_every_class_is_the_fraction(counts: list[int], fraction: float, seed: int) -> None:
    labels = np.repeat(np.arange(len(counts)), counts)
    size = np.clip(round(fraction * len(labels)), len(counts), len(labels) - len(counts))
    held = np.bincount(labels[hold_out(labels, fraction, seed)[1]], minlength=len(counts))
    # One image more or less than the exact share, since images cannot be cut.
    assert (np.abs(held - np.array(counts) * size / len(labels)) < 1.001).all()


def test_the_seed_decides_the_split() -> None:
    labels = np.repeat(np.arange(3), 20)
    first, again, other = (hold_out(labels, 0.25, seed)[1].tolist() for seed in (1, 1, 2))
    assert first == again
    assert first != other


def test_even_classes_are_held_out_exactly() -> None:
    labels = np.tile(np.arange(5), 40)
    kept, held = hold_out(labels, 0.2, seed=0)
    assert np.bincount(labels[held]).tolist() == [8] * 5
    assert len(kept) == 160


def test_a_rare_class_is_not_rounded_away() -> None:
    labels = np.repeat([0, 1, 2], [2, 30, 60])
    for seed in range(20):
        kept, held = hold_out(labels, 0.2, seed)
        assert np.bincount(labels[held]).tolist()[0] == np.bincount(labels[kept]).tolist()[0] == 1


def test_classes_without_any_image_do_not_count() -> None:
    labels = np.array([0, 0, 3, 3, 3])
    kept, held = hold_out(labels, 0.4, seed=0)
    assert set(labels[kept]) == set(labels[held]) == {0, 3}


def test_a_class_with_one_image_is_refused() -> None:
    with pytest.raises(
        RequestError,
        match=r"^Cannot hold out 10% of 4 images for validation with every class on both sides: "
        r"the smallest class has 1 image; add images, or provide a split of your own \(train/ and test/\)\.$",
    ):
        hold_out(np.array([0, 0, 0, 1]), 0.1, 0, "validation")
