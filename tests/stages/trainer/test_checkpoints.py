import os
import pickle
from pathlib import Path
from typing import Any

import pytest
import torch

from supcon.base.errors import WorkError
from supcon.stages.trainer.checkpoints import AtomicCheckpointIO, keep_last, last_checkpoint


class Malicious:
    """An object that writes a file when it is unpickled: what an attacker would run."""

    def __init__(self, mark: Path) -> None:
        self.mark = mark

    def __reduce__(self) -> tuple[Any, ...]:
        return os.mkdir, (str(self.mark),)


def test_a_checkpoint_comes_back(tmp_path: Path) -> None:
    content = {"epoch": 3, "state_dict": {"weight": torch.arange(4.0)}, "nested": [{"lr": 0.5}, None]}
    io, path = AtomicCheckpointIO(), tmp_path / "last.ckpt"
    io.save_checkpoint(content, path)
    found = io.load_checkpoint(path)
    assert torch.equal(found.pop("state_dict")["weight"], content.pop("state_dict")["weight"])  # type: ignore[index]
    assert found == content
    assert os.listdir(tmp_path) == ["last.ckpt"]


def test_the_pickle_would_run_if_it_were_trusted(tmp_path: Path) -> None:
    pickle.loads(pickle.dumps(Malicious(tmp_path / "ran")))
    assert (tmp_path / "ran").exists()


@pytest.mark.parametrize("save", [torch.save, lambda value, path: path.write_bytes(pickle.dumps(value, protocol=2))])
@pytest.mark.parametrize("asked", [None, False, True])
def test_pickled_code_does_not_run(tmp_path: Path, save: Any, asked: bool | None) -> None:
    path = tmp_path / "last.ckpt"
    save({"epoch": 0, "state_dict": {}, "extra": Malicious(tmp_path / "ran")}, path)
    with pytest.raises(pickle.UnpicklingError):
        AtomicCheckpointIO().load_checkpoint(path, weights_only=asked)
    assert not (tmp_path / "ran").exists()


@pytest.mark.parametrize("where", ["save", "replace"])
def test_a_full_disk_leaves_the_old_checkpoint(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, where: str) -> None:
    io, path = AtomicCheckpointIO(), tmp_path / "last.ckpt"
    io.save_checkpoint({"epoch": 1}, path)

    def fail(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(*(("torch.save", fail) if where == "save" else ("os.replace", fail)))
    with pytest.raises(
        WorkError,
        match=rf"^The disk is full: {path} could not be written; free some space and "
        rf"continue with",
    ):
        io.save_checkpoint({"epoch": 2}, path)
    monkeypatch.undo()
    assert os.listdir(tmp_path) == ["last.ckpt"]
    assert io.load_checkpoint(path) == {"epoch": 1}


def test_a_disk_that_is_really_full(small_disk: Path) -> None:
    io, path = AtomicCheckpointIO(), small_disk / "last.ckpt"
    io.save_checkpoint({"weight": torch.zeros(1000)}, path)
    with pytest.raises(WorkError, match=r"^The disk is full: "):
        io.save_checkpoint({"weight": torch.zeros(50_000)}, path)
    assert os.listdir(small_disk) == ["last.ckpt"]
    assert len(io.load_checkpoint(path)["weight"]) == 1000


def test_the_last_checkpoint_is_found_where_it_is_kept(tmp_path: Path) -> None:
    assert last_checkpoint(tmp_path) is None
    callback = keep_last(tmp_path)
    assert callback.dirpath == str(tmp_path / "checkpoints")
    (tmp_path / "checkpoints").mkdir()
    (tmp_path / "checkpoints" / "last.ckpt").touch()
    assert last_checkpoint(tmp_path) == tmp_path / "checkpoints" / "last.ckpt"
