"""Every named set, read by torchvision's own code from small files in the layout of the real ones."""

from pathlib import Path

import pytest

from references.small_named_sets import WRITERS, clothes
from supcon.base.errors import RequestError, WorkError
from supcon.data.catalogue import BY_NAME
from supcon.data.config import DataConfig
from supcon.data.load import load_data
from supcon.data.sources.named import _DOWNLOADS


@pytest.mark.parametrize("name", [name for name in WRITERS if name != "cifar100"])
def test_every_set_is_read_in_its_splits(name: str, tmp_path: Path) -> None:
    write, counts = WRITERS[name]
    write(tmp_path)
    data = load_data(DataConfig(spec=name, root=str(tmp_path)))
    assert data.counts == counts
    assert (data.name, data.metric) == (name, BY_NAME[name].metric)
    assert data.multi_label == (name == "voc2007")


def test_downloads_happen_only_when_asked_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[Path] = []

    def fetch(root: Path) -> None:
        asked.append(root)
        clothes(root)

    monkeypatch.setitem(_DOWNLOADS, "fashion-mnist", fetch)
    monkeypatch.setattr("supcon.data.sources.locations.DEBIAN", tmp_path / "no Debian")
    with pytest.raises(RequestError, match="was not found as"):
        load_data(DataConfig(spec="fashion-mnist", root=str(tmp_path / "data")))
    for _ in range(2):
        load_data(DataConfig(spec="fashion-mnist", root=str(tmp_path / "data"), download=True))
    assert asked == [tmp_path / "data"]

    def fail(_: Path) -> None:
        raise RuntimeError("no\nconnection")

    monkeypatch.setitem(_DOWNLOADS, "svhn", fail)
    with pytest.raises(WorkError, match=r"^svhn could not be downloaded to .* \(no connection\); try again later\.$"):
        load_data(DataConfig(spec="svhn", root=str(tmp_path / "data"), download=True))


def test_a_damaged_set_is_named(tmp_path: Path) -> None:
    (tmp_path / "cifar-10-batches-py").mkdir()
    with pytest.raises(RequestError, match=r"^cifar10 in .* cannot be read \(.*\); download it again\.$"):
        load_data(DataConfig(spec="cifar10", root=str(tmp_path)))
