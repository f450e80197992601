import os
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import torch
from PIL import Image

from references.held_folder import Bars, load
from supcon.data.config import HoldName

MakeFolder = Callable[..., Path]


@pytest.mark.parametrize(("hold", "title"), [("cache", "caching images"), ("decode", "checking images")])
def test_a_cache_is_built_once_and_again_when_content_changes(
    make_folder: MakeFolder, own_cache: Path, hold: HoldName, title: str
) -> None:
    root, bars = make_folder({"a": 8, "b": 8}), Bars()
    first = load(root, hold, bars)
    load(root, hold, bars, seed=5)  # other splits of the same images
    assert bars.titles == [title]
    os.utime(root / "a" / "000.png")  # touched, not changed
    load(root, hold, bars)
    assert bars.titles == [title]
    Image.fromarray(np.zeros((8, 8, 3), np.uint8)).save(root / "a" / "001.png")
    changed = load(root, hold, bars)
    assert bars.titles == [title] * 2
    assert changed.mean != first.mean
    assert not list(own_cache.rglob("*.partial"))


def test_a_cut_cache_is_built_again(make_folder: MakeFolder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SUPCON_CACHE", str(tmp_path / "cache"))
    root, bars = make_folder({"a": 8, "b": 8}), Bars()
    first = load(root, "cache", bars)
    [pixels] = tmp_path.rglob("pixels")
    pixels.write_bytes(pixels.read_bytes()[:-1])
    assert torch.equal(load(root, "cache", bars).test.images[:], first.test.images[:])
    [facts] = tmp_path.rglob("facts.npz")
    facts.write_bytes(b"no facts")
    load(root, "cache", bars)
    assert len(bars.titles) == 3


def test_a_killed_build_leaves_nothing_that_is_used(
    make_folder: MakeFolder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SUPCON_CACHE", str(tmp_path / "cache"))
    root = make_folder({"a": 8, "b": 8})

    def stop(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(np, "savez", stop)
        with pytest.raises(KeyboardInterrupt):
            load(root, "cache")
    assert not list(tmp_path.rglob("pixels"))
    load(root, "cache")
