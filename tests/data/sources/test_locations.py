"""Where named sets and the cache are looked for."""

from pathlib import Path

import pytest
import torch

from references.small_named_sets import clothes
from supcon.base.errors import RequestError
from supcon.data.config import DataConfig
from supcon.data.load import load_data


def test_the_environment_says_where(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    clothes(tmp_path)
    monkeypatch.setenv("SUPCON_DATA", str(tmp_path))
    assert load_data(DataConfig(spec="fashion-mnist")).channels == 1


def test_debians_copy_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    clothes(tmp_path)
    monkeypatch.setattr("supcon.data.sources.locations.DEBIAN", tmp_path)
    data = load_data(DataConfig(spec="fashion-mnist", root=str(tmp_path / "elsewhere")))
    assert data.class_names[9] == "Ankle boot"
    assert torch.equal(data.test.labels, torch.arange(10))


def test_a_set_that_is_not_here(tmp_path: Path) -> None:
    with pytest.raises(RequestError) as caught:
        load_data(DataConfig(spec="cifar10", root=str(tmp_path)))
    assert str(caught.value) == (
        f"cifar10 (170 MB) was not found as {tmp_path}/cifar-10-batches-py; download it with --download, "
        "or give its folder with --data-root or SUPCON_DATA."
    )
    with pytest.raises(RequestError, match=r"^imagenet \(144 GB\) was not found as .*; get it from image-net\.org"):
        load_data(DataConfig(spec="imagenet", root=str(tmp_path), download=True))
