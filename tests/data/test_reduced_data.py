import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from supcon.base.errors import RequestError
from supcon.data.config import DataConfig
from supcon.data.load import load_data
from supcon.data.reduced_data import add_label_noise, reduce_classes


@settings(deadline=None)
@given(st.lists(st.integers(1, 50), min_size=1, max_size=6), st.floats(0.01, 1), st.integers(0, 99))
def test_a_fraction_of_every_class(counts: list[int], fraction: float, seed: int) -> None:
    labels = np.repeat(np.arange(len(counts)), counts)
    kept = reduce_classes(labels, seed, fraction=fraction)
    assert (np.diff(kept) > 0).all()
    expected = np.maximum(np.rint(np.array(counts) * fraction), 1)
    assert np.bincount(labels[kept], minlength=len(counts)).tolist() == expected.tolist()


def test_so_many_of_every_class() -> None:
    labels = np.repeat([0, 1, 2], [50, 4, 20])
    assert np.bincount(labels[reduce_classes(labels, 0, per_class=7)]).tolist() == [7, 4, 7]


def test_a_long_tail_is_exponential() -> None:
    labels = np.repeat(np.arange(10), 500)
    counts = np.bincount(labels[reduce_classes(labels, 0, imbalance_factor=100)])
    expected = [round(500 * 100 ** (-k / 9)) for k in range(10)]
    assert counts.tolist() == expected
    assert (counts[0], counts[-1]) == (500, 5)


def test_the_seed_decides_which() -> None:
    labels = np.repeat([0, 1], 100)
    first, again, other = (reduce_classes(labels, seed, fraction=0.1).tolist() for seed in (1, 1, 2))
    assert first == again != other


def test_noise_gives_other_classes_evenly() -> None:
    labels = np.repeat(np.arange(4), 3000)
    noisy = add_label_noise(labels, 0.4, 4, seed=0)
    assert (noisy != labels).sum() == 4800
    shifts = np.bincount((noisy - labels) % 4)[1:]
    assert (np.abs(shifts - 1600) < 5 * np.sqrt(1600)).all()


def test_only_training_images_are_reduced_and_made_noisy() -> None:
    whole = load_data(DataConfig())
    noisy = load_data(DataConfig(fraction=0.5, label_noise=0.2))
    assert noisy.counts["train"] == pytest.approx(whole.counts["train"] / 2, abs=5)
    for split in ("validation", "test"):
        assert (getattr(noisy, split).labels == getattr(whole, split).labels).all()
    same = load_data(DataConfig(fraction=0.5))
    changed = (noisy.train.labels != same.train.labels).double().mean().item()
    assert (noisy.train.images[:] == same.train.images[:]).all()
    assert changed == pytest.approx(0.2, abs=0.001)


def test_noise_is_for_single_labels() -> None:
    with pytest.raises(RequestError, match=r"^data\.label_noise needs one label per image"):
        add_label_noise(np.ones((3, 2), dtype=np.int64), 0.1, 2, 0)
