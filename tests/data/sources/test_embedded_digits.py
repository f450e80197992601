import numpy as np
import pytest
import torch
from sklearn.datasets import load_digits

from supcon.data.config import DataConfig
from supcon.data.image_data import channel_statistics
from supcon.data.load import load_data

TEST_LABELS = [1, 4, 8, 6, 5, 9, 9, 1, 3, 2, 2, 2]
TEST_SUM = 1790819


def test_the_splits_are_all_the_digits_once() -> None:
    data, source = load_data(DataConfig()), load_digits()
    parts = [data.train, data.validation, data.test]
    found = np.concatenate([np.c_[part.labels.numpy(), part.images[:].flatten(1).numpy()] for part in parts])
    expected = np.c_[source.target, np.rint(source.data * 255 / 16)]
    np.testing.assert_array_equal(found[np.lexsort(found.T)], expected[np.lexsort(expected.T)])


@pytest.mark.parametrize("name", ["train", "validation", "test"])
def test_every_split_is_stratified(name: str) -> None:
    part = getattr(load_data(DataConfig()), name)
    share = np.bincount(part.labels.numpy(), minlength=10) / len(part)
    expected = np.bincount(load_digits().target) / 1797
    assert np.abs(share - expected).max() < 1 / len(part)


def test_the_split_never_changes() -> None:
    data = load_data(DataConfig())
    # Figures of different versions of the project are only comparable while these stand.
    assert data.test.labels[:12].tolist() == TEST_LABELS
    assert int(data.test.images[:].long().sum()) == TEST_SUM
    assert all(torch.equal(getattr(data, s).images, getattr(load_data(DataConfig()), s).images) for s in data.counts)


def test_statistics_are_those_of_the_training_split() -> None:
    data = load_data(DataConfig())
    assert (data.mean, data.std) == channel_statistics(data.train.images[:])
    assert data.train.images[:].max() == 255


def test_another_size_keeps_the_split() -> None:
    small, large = load_data(DataConfig()), load_data(DataConfig(image_size=16))
    assert (large.image_size, large.stored_size) == (16, 16)
    assert torch.equal(small.test.labels, large.test.labels)
    averaged = torch.nn.functional.avg_pool2d(large.test.images[:].float(), 2)
    assert (averaged - small.test.images[:]).abs().mean() < 20
