from collections.abc import Callable
from pathlib import Path

import pytest

from supcon.base.errors import RequestError
from supcon.data.config import DataConfig
from supcon.data.load import load_data
from supcon.data.sources.encoded_images import Files
from supcon.data.sources.manifest import manifest

MakeFolder = Callable[..., Path]


def write(path: Path, *lines: str) -> Path:
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def test_paths_labels_and_splits(tmp_path: Path) -> None:
    table = write(
        tmp_path / "birds.csv",
        "label,path,split,note",
        "wren,a.png,train,x",
        '"a ""b"" <i>",sub/b.png,,',
        "wren,/c.png,VAL",
    )
    found = manifest(table)
    assert (found.name, found.class_names) == ("birds", ('a "b" <i>', "wren"))
    assert isinstance(found.images, Files)
    assert found.images.paths == [str(tmp_path / "a.png"), str(tmp_path / "sub" / "b.png"), "/c.png"]
    assert [found.image_name(row) for row in range(3)] == ["a.png", "sub/b.png", "/c.png"]
    assert found.labels.tolist() == [1, 0, 1]
    assert {name: rows.tolist() for name, rows in found.given.items()} == {"train": [0, 1], "validation": [2]}


def test_parquet_is_the_same_as_csv(tmp_path: Path) -> None:
    arrow = pytest.importorskip("pyarrow", reason="the extra `parquet` is not installed")
    from pyarrow import parquet

    columns = {"path": ["a", "b", "c"], "label": [["x", "y"], None, ["y"]], "split": ["train", "train", None]}
    parquet.write_table(arrow.table(columns), tmp_path / "t.parquet")
    written = manifest(write(tmp_path / "t.csv", "path,label,split", "a,x|y,train", "b,,train", "c,y,"))
    found = manifest(tmp_path / "t.parquet")
    assert found.class_names == written.class_names
    assert found.labels.tolist() == written.labels.tolist()
    assert found.given["train"].tolist() == [0, 1, 2]


def test_the_images_of_a_manifest_load(make_folder: MakeFolder) -> None:
    root = make_folder({"a": 6, "b": 6})
    rows = [f"{path.relative_to(root)},{path.parent.name}" for path in sorted(root.rglob("*.png"))]
    by_table = load_data(DataConfig(spec=str(write(root / "t.csv", "path,label", *rows))), seed=3)
    (root / "t.csv").unlink()
    by_folder = load_data(DataConfig(spec=str(root)), seed=3)
    for split in ("train", "validation", "test"):
        one, other = getattr(by_table, split), getattr(by_folder, split)
        assert (one.images == other.images).all()
        assert (one.labels == other.labels).all()


@pytest.mark.parametrize(
    ("lines", "sentence"),
    [
        (["path,class", "a,b"], "has the columns 'path', 'class' but not 'label'; it needs path, label and"),
        (["path,label,split", "a,x,train", "b,y,dev"], "has the split 'dev'; it must be train, val or test."),
        (["path,label,split", "a,x,test", "b,y,val"], "has no training images"),
        (["path,label", "a,x", "b,x"], "has 1 class(es), but at least two are needed"),
        (["path,label"], "lists no images; add rows below its header."),
    ],
)
def test_what_is_wrong_is_said_in_one_sentence(tmp_path: Path, lines: list[str], sentence: str) -> None:
    with pytest.raises(RequestError) as caught:
        manifest(write(tmp_path / "t.csv", *lines))
    assert sentence in str(caught.value)
    assert "t.csv" in str(caught.value)


def test_a_table_that_is_none(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_bytes(b"path,label\n\xff\xfe,\x80")
    with pytest.raises(
        RequestError, match=r"is damaged \(byte 11 is not UTF-8 text\); save it as comma-separated UTF-8"
    ):
        manifest(tmp_path / "t.csv")
    pytest.importorskip("pyarrow", reason="the extra `parquet` is not installed")
    (tmp_path / "t.parquet").write_text("no table")
    with pytest.raises(RequestError, match=r"t\.parquet cannot be read as a parquet table"):
        manifest(tmp_path / "t.parquet")


def test_test_images_need_labels_that_training_knows(tmp_path: Path) -> None:
    start = ["path,label,split", "a,x,train", "b,y,train", "c,x,val", "d,y,val"]
    for last, sentence in [
        ("e,,test", "1 test image(s) have no label; label them, or move them to the training images"),
        (
            "e,z,test",
            "The test images have the class 'z', which no training image has; add training images of that class",
        ),
    ]:
        with pytest.raises(RequestError) as caught:
            load_data(DataConfig(spec=str(write(tmp_path / "t.csv", *start, last))))
        assert str(caught.value).startswith(sentence)
