"""Image files before decoding."""

import os
from io import BytesIO
from pathlib import Path

from supcon.data.sources.encoded_images import EncodedImages, Files, Picked, in_memory


def files(root: Path) -> Files:
    for name in ("a", "b", "c"):
        (root / name).write_bytes(name.encode())
    return Files(root, [root / "a", root / "b", root / "c", "/elsewhere/d"])


def test_files_are_named_below_their_folder(tmp_path: Path) -> None:
    found = files(tmp_path)
    assert isinstance(found, EncodedImages)
    assert [found.name(row) for row in range(4)] == ["a", "b", "c", "/elsewhere/d"]
    assert found.where(1) == str(tmp_path / "b")
    assert found[2] == tmp_path / "c"


def test_a_stamp_changes_with_the_content(tmp_path: Path) -> None:
    found = files(tmp_path)
    before = found.stamp(0)
    assert before == found.stamp(0)
    (tmp_path / "a").write_bytes(b"longer")
    assert found.stamp(0) != before
    same_size = found.stamp(0)
    os.utime(tmp_path / "a", ns=(1, 1))
    assert found.stamp(0) != same_size
    assert found.stamp(3) == "missing"


def test_a_subset_keeps_its_order(tmp_path: Path) -> None:
    whole = files(tmp_path)
    picked = Picked(whole, [2, 0])
    assert isinstance(picked, EncodedImages)
    assert [picked.name(row) for row in range(len(picked))] == ["c", "a"]
    assert (picked[1], picked.where(0)) == (tmp_path / "a", str(tmp_path / "c"))
    assert picked.stamp(0) == whole.stamp(2)


def test_files_are_read_as_a_whole(tmp_path: Path) -> None:
    files(tmp_path)
    read = in_memory(tmp_path / "b")
    assert isinstance(read, BytesIO)
    assert read.getvalue() == b"b"
    assert in_memory(read) is read
