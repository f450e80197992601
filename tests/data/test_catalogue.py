"""The list of named sets."""

from references.small_named_sets import WRITERS
from supcon.data.catalogue import CATALOGUE, NAMES
from supcon.data.config import DataConfig
from supcon.data.load import load_data
from supcon.data.sources.named import _DOWNLOADS, _READERS


def test_nothing_is_forgotten() -> None:
    assert set(WRITERS) == set(NAMES) - {"digits"} == set(_READERS) | {"imagenet"}
    assert set(_DOWNLOADS) >= {entry.name for entry in CATALOGUE if entry.download} - {"digits"}
    assert sum(entry.transfer for entry in CATALOGUE) == 12
    assert {entry.name for entry in CATALOGUE if entry.metric == "mean_per_class"} == {
        *("fgvc-aircraft", "oxford-pets", "caltech101", "oxford-flowers")
    }


def test_the_catalogue_tells_the_truth() -> None:
    data, entry = load_data(DataConfig()), CATALOGUE[0]
    assert data.counts == {"train": 1257, "validation": 180, "test": 360}
    assert (entry.name, entry.classes, entry.images) == (data.name, len(data.class_names), sum(data.counts.values()))
    assert (data.channels, data.image_size, data.stored_size) == (1, 8, 8)
    assert "1,257 / 180 / 360" in entry.about
