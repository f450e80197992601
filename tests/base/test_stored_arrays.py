from pathlib import Path

import numpy as np
import pytest

from supcon.base.errors import RequestError
from supcon.base.stored_arrays import read_array, read_arrays, write_arrays


def test_arrays_come_back(tmp_path: Path) -> None:
    np.savez_compressed(tmp_path / "a.npz", a=np.arange(3), text=np.array("x"))
    found = read_arrays(tmp_path / "a.npz", ["a"])
    assert found["a"].tolist() == [0, 1, 2]
    assert set(found) == {"a", "text"}


def test_a_missing_file_or_array_is_named(tmp_path: Path) -> None:
    with pytest.raises(RequestError, match=r"a\.npz is missing; run the training again\."):
        read_arrays(tmp_path / "a.npz", ["a"])
    np.savez(tmp_path / "a.npz", a=np.arange(3))
    with pytest.raises(RequestError, match=r"a\.npz is damaged \(.*b.*\)"):
        read_arrays(tmp_path / "a.npz", ["b"])


def test_one_array_is_read_alone(tmp_path: Path) -> None:
    path = tmp_path / "a.npz"
    np.savez(path, a=np.arange(3))
    found = read_array(path, "a")
    assert found is not None
    assert found.tolist() == [0, 1, 2]
    assert read_array(path, "b") is None
    path.write_bytes(path.read_bytes()[:-9])
    with pytest.raises(RequestError, match=r"a\.npz is damaged \(.*\); run the training again\."):
        read_array(path, "a")


def test_no_changed_byte_changes_an_array(tmp_path: Path) -> None:
    path = tmp_path / "a.npz"
    np.savez(path, a=np.arange(40))
    content = path.read_bytes()
    for place in range(0, len(content), 3):
        path.write_bytes(content[:place] + bytes([content[place] ^ 4]) + content[place + 1 :])
        try:
            found = read_arrays(path, ["a"])["a"]
        except RequestError:
            continue
        assert found.tolist() == list(range(40)), place


def test_what_is_written_comes_back_and_objects_are_refused(tmp_path: Path) -> None:
    write_arrays(tmp_path / "a.npz", {"numbers": np.arange(3), "text": np.array(["x"])})
    found = read_arrays(tmp_path / "a.npz", ["numbers"])
    assert set(found) == {"numbers", "text"}
    assert np.array_equal(found["numbers"], np.arange(3))
    with pytest.raises(TypeError, match=r"^things must be arrays of numbers or text, got Python objects\.$"):
        write_arrays(tmp_path / "b.npz", {"things": np.array([{}])})
    assert not (tmp_path / "b.npz").exists()
