"""Written labels and class indices."""

from pathlib import Path

import pytest

from supcon.base.errors import RequestError
from supcon.data.sources.label_names import number_labels, write_label
from supcon.data.sources.manifest import manifest


def write(path: Path, *lines: str) -> Path:
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def test_an_empty_label_is_unlabelled_and_numbers_are_sorted_as_such(tmp_path: Path) -> None:
    found = manifest(write(tmp_path / "t.csv", "path,label", "a,10", "b,", "c,9", "d,10"))
    assert found.class_names == ("9", "10")
    assert found.labels.tolist() == [1, -1, 0, 1]


def test_several_labels(tmp_path: Path) -> None:
    found = manifest(write(tmp_path / "t.csv", "path,label", "a,dog | cat", "b,", "c,dog"))
    assert found.multi_label
    assert found.labels.tolist() == [[1, 1], [-1, -1], [0, 1]]


def test_labels_survive_writing_and_reading() -> None:
    for written in (["dog", "cat", "", "dog"], ["dog|cat", "", "cat"]):
        names, labels = number_labels(written, "x.csv")
        again = [write_label(label, names) for label in labels.tolist()]
        assert number_labels(again, "x.csv")[0] == names
        assert (number_labels(again, "x.csv")[1] == labels).all()


def test_one_class_is_refused() -> None:
    with pytest.raises(RequestError, match=r"^x\.csv has 1 class\(es\), but at least two are needed; add labels\.$"):
        number_labels(["cat", "cat", ""], "x.csv")
