import errno
import os
import pickle
import zipfile
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


def test_a_checkpoint_of_a_gpu_comes_back_without_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Lightning asks for no device; torch would look for that of every tensor, or fail if it does not exist."""
    io, path = AtomicCheckpointIO(), tmp_path / "last.ckpt"
    with monkeypatch.context() as patch:
        patch.setattr("torch.serialization.location_tag", lambda storage: "cuda:0")
        io.save_checkpoint({"epoch": 0, "weight": torch.arange(4.0)}, path)
    if not torch.cuda.is_available():
        with pytest.raises(RuntimeError, match="deserialize object on a CUDA device"):
            torch.load(path)
    found = io.load_checkpoint(path)["weight"]
    assert found.device.type == "cpu"
    assert found.tolist() == [0, 1, 2, 3]


def test_the_pickle_would_run_if_it_were_trusted(tmp_path: Path) -> None:
    pickle.loads(pickle.dumps(Malicious(tmp_path / "ran")))
    assert (tmp_path / "ran").exists()


@pytest.mark.parametrize("save", [torch.save, lambda value, path: path.write_bytes(pickle.dumps(value, protocol=2))])
@pytest.mark.parametrize("asked", [None, False, True])
def test_pickled_code_does_not_run(tmp_path: Path, save: Any, asked: bool | None) -> None:
    path = tmp_path / "last.ckpt"
    save({"epoch": 0, "state_dict": {}, "extra": Malicious(tmp_path / "ran")}, path)
    with pytest.raises((pickle.UnpicklingError, zipfile.BadZipFile)):
        AtomicCheckpointIO().load_checkpoint(path, weights_only=asked)
    assert not (tmp_path / "ran").exists()


@pytest.mark.parametrize("where", ["fsync", "replace"])
def test_a_full_disk_leaves_the_old_checkpoint(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, where: str) -> None:
    io, path = AtomicCheckpointIO(), tmp_path / "last.ckpt"
    io.save_checkpoint({"epoch": 1}, path)

    def fail(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(*(("os.fsync", fail) if where == "fsync" else ("os.replace", fail)))
    with pytest.raises(
        WorkError,
        match=rf"^The disk is full: {path} could not be written; free some space and "
        rf"repeat the command",
    ):
        io.save_checkpoint({"epoch": 2}, path)
    monkeypatch.undo()
    assert set(os.listdir(tmp_path)) <= {"last.ckpt", "previous.ckpt"}
    assert io.load_checkpoint(path) == {"epoch": 1}


def test_a_disk_that_is_really_full(small_disk: Path) -> None:
    io, path = AtomicCheckpointIO(), small_disk / "last.ckpt"
    io.save_checkpoint({"weight": torch.zeros(1000)}, path)
    with pytest.raises(WorkError, match=r"^The disk is full: "):
        io.save_checkpoint({"weight": torch.zeros(50_000)}, path)
    assert set(os.listdir(small_disk)) <= {"last.ckpt", "previous.ckpt"}
    assert len(io.load_checkpoint(path)["weight"]) == 1000


def two_epochs(folder: Path) -> Path:
    """A folder of a stage with the checkpoints of two epochs."""
    io, path = AtomicCheckpointIO(), folder / "checkpoints" / "last.ckpt"
    for epoch in range(2):
        io.save_checkpoint({"epoch": epoch, "state_dict": {"weight": torch.arange(64.0) + epoch}}, path)
    return path


def test_the_last_checkpoint_is_found_where_it_is_kept(tmp_path: Path) -> None:
    assert last_checkpoint(tmp_path) is None
    assert keep_last(tmp_path).dirpath == str(tmp_path / "checkpoints")
    path = two_epochs(tmp_path)
    assert last_checkpoint(tmp_path) == (path, 2)
    assert sorted(os.listdir(path.parent)) == ["last.ckpt", "previous.ckpt"]


def test_no_changed_byte_reaches_the_weights(tmp_path: Path) -> None:
    """Every byte in turn: either it is noticed, or it is one that holds nothing, such as padding."""
    path = two_epochs(tmp_path)
    content, noticed = path.read_bytes(), 0
    whole = AtomicCheckpointIO().load_checkpoint(path)
    for place in range(0, len(content), 7):
        path.write_bytes(content[:place] + bytes([content[place] ^ 0x10]) + content[place + 1 :])
        try:
            found = AtomicCheckpointIO().load_checkpoint(path)
        except Exception:
            noticed += 1
            continue
        assert found["epoch"] == whole["epoch"]
        assert torch.equal(found["state_dict"]["weight"], whole["state_dict"]["weight"])
    assert noticed > 30


@pytest.mark.parametrize("damage", ["flip", "cut", "empty", "text", "pickle", "foreign", "folder", "fifo", "device"])
def test_a_damaged_checkpoint_gives_way_to_the_one_before(
    tmp_path: Path, damage: str, capsys: pytest.CaptureFixture[str]
) -> None:
    path = two_epochs(tmp_path)
    _damage(path, damage)
    assert last_checkpoint(tmp_path) == (path.with_name("previous.ckpt"), 1)
    said = capsys.readouterr().err
    assert f"{path} is damaged (" in said
    assert "training continues from" in said
    path.with_name("previous.ckpt").unlink()
    with pytest.raises(WorkError, match=r"last\.ckpt cannot be read \(.{3,150}\), and there is no intact checkpoint"):
        last_checkpoint(tmp_path)


def _damage(path: Path, how: str) -> None:
    content = path.read_bytes()
    middle = content.index(torch.arange(64.0)[9:12].add(1).numpy().tobytes())
    path.unlink()
    if how == "folder":
        path.mkdir()
    elif how == "fifo":
        os.mkfifo(path)
    elif how == "device":
        path.symlink_to("/dev/zero")
    elif how == "foreign":
        torch.save({"weights": torch.zeros(3)}, path)
    elif how == "pickle":
        torch.save({"epoch": 1, "extra": Malicious(path.with_name("ran"))}, path)
    else:
        flipped = content[:middle] + bytes([content[middle] ^ 1]) + content[middle + 1 :]
        path.write_bytes({"flip": flipped, "cut": content[:-200], "empty": b"", "text": b"no checkpoint"}[how])


def test_a_file_system_without_links_has_the_newest_checkpoint(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr(os, "link", fail)
    path = two_epochs(tmp_path)
    assert os.listdir(path.parent) == ["last.ckpt"]
    assert last_checkpoint(tmp_path) == (path, 2)


@pytest.mark.parametrize(("code", "said"), [("EIO", True), ("ENOSPC", True), ("EPERM", False), ("EOPNOTSUPP", False)])
@pytest.mark.parametrize("operation", ["link", "replace"])
def test_a_checkpoint_whose_predecessor_cannot_be_kept_is_written(
    operation: str,
    code: str,
    said: bool,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """A run of days goes on, and says so; a file system without hard links is nothing to speak about every epoch."""
    io, path = AtomicCheckpointIO(), tmp_path / "last.ckpt"
    io.save_checkpoint({"epoch": 0}, path)
    original = getattr(os, operation)

    def failing(source: Path, target: Path) -> None:
        if "previous" in str(source) + str(target):
            number = getattr(errno, code)
            raise OSError(number, os.strerror(number), str(source))
        original(source, target)

    monkeypatch.setattr(os, operation, failing)
    io.save_checkpoint({"epoch": 1}, path)
    assert io.load_checkpoint(path)["epoch"] == 1
    assert os.listdir(tmp_path) == ["last.ckpt"]
    assert ("previous.ckpt cannot be written" in " ".join(capsys.readouterr().err.split())) is said


def test_a_checkpoint_that_is_its_own_predecessor_leaves_no_third_name(tmp_path: Path) -> None:
    """After a kill between the two names of a checkpoint and the next one."""
    io, path = AtomicCheckpointIO(), tmp_path / "last.ckpt"
    io.save_checkpoint({"epoch": 0}, path)
    os.link(path, tmp_path / "previous.ckpt")
    io.save_checkpoint({"epoch": 1}, path)
    assert sorted(os.listdir(tmp_path)) == ["last.ckpt", "previous.ckpt"]
    assert io.load_checkpoint(tmp_path / "previous.ckpt")["epoch"] == 0
