import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from supcon.base.errors import RequestError
from supcon.data.sources.listing import list_splits

MakeFolder = Callable[..., Path]

ODD_NAMES = ["a b", "É t'é", 'say "x"', "<b>&amp;", "ünïcode ✓", "漢字", "0", "a,b;c", "100%", "$HOME", "a.b"]


def test_classes_are_the_sorted_folder_names(make_folder: MakeFolder) -> None:
    root = make_folder({"dog": 2, "cat": 3, "Ant": 1})
    names, splits = list_splits(root)
    assert names == ("Ant", "cat", "dog")
    assert list(splits) == ["train"]
    assert [path.relative_to(root).as_posix() for path in splits["train"].paths] == [
        *("Ant/000.png", "cat/000.png", "cat/001.png", "cat/002.png", "dog/000.png", "dog/001.png"),
    ]
    assert splits["train"].labels == [0, 1, 1, 1, 2, 2]


def test_odd_class_names_are_kept(make_folder: MakeFolder) -> None:
    names, splits = list_splits(make_folder(dict.fromkeys(ODD_NAMES, 1)))
    assert names == tuple(sorted(ODD_NAMES))
    assert all(path.parent.name == names[label] for path, label in zip(splits["train"].paths, range(11), strict=True))


@pytest.mark.parametrize(
    ("folder", "split"),
    [("val", "validation"), ("valid", "validation"), ("validation", "validation"), ("test", "test"), ("Test", "test")],
)
def test_split_folders_by_their_usual_names(make_folder: MakeFolder, folder: str, split: str) -> None:
    names, splits = list_splits(make_folder({"train/a": 2, "train/b": 2, f"{folder}/a": 1, f"{folder}/b": 1}))
    assert names == ("a", "b")
    assert {name: len(listing.paths) for name, listing in splits.items()} == {"train": 4, split: 2}


def test_capital_split_folders_are_not_two_classes(make_folder: MakeFolder) -> None:
    names, splits = list_splits(make_folder({"Train/a": 1, "Train/b": 1, "TEST/a": 1}))
    assert (names, set(splits)) == (("a", "b"), {"train", "test"})


def test_a_class_may_be_called_train(make_folder: MakeFolder) -> None:
    assert list_splits(make_folder({"bus": 1, "train": 1, "val": 1}))[0] == ("bus", "train", "val")


def test_a_folder_may_be_called_test(make_folder: MakeFolder) -> None:
    root = make_folder({"test/a": 1, "test/b": 0}) / "test"
    with pytest.raises(RequestError, match=r"^The class folder .*/test/b is empty; add its images or remove it\.$"):
        list_splits(root)


def test_images_in_subfolders_belong_to_the_class(make_folder: MakeFolder) -> None:
    _, splits = list_splits(make_folder({"a/2023/may": 2, "a/2024": 1, "b": 1}))
    assert splits["train"].labels == [0, 0, 0, 1]


def test_hidden_and_system_files_are_not_images(make_folder: MakeFolder) -> None:
    root = make_folder({"a": 1, "b": 1, ".git": 1, "a/.thumbnails": 2})
    for name in ("a/.DS_Store", "a/Thumbs.db", "b/desktop.ini", "readme.txt"):
        (root / name).write_text("no image")
    names, splits = list_splits(root)
    assert names == ("a", "b")
    assert splits["train"].labels == [0, 1]


def test_links_are_followed_and_broken_ones_listed(make_folder: MakeFolder, tmp_path: Path) -> None:
    root = make_folder({"a": 1, "b": 1})
    (tmp_path / "elsewhere").mkdir()
    (root / "a" / "000.png").rename(tmp_path / "elsewhere" / "x.png")
    (root / "c").symlink_to(tmp_path / "elsewhere")
    (root / "a" / "gone.png").symlink_to(tmp_path / "nowhere.png")
    names, splits = list_splits(root)
    assert names == ("a", "b", "c")
    assert [path.name for path in splits["train"].paths] == ["gone.png", "000.png", "x.png"]


def test_a_class_may_be_missing_in_test(make_folder: MakeFolder) -> None:
    _, splits = list_splits(make_folder({"train/a": 1, "train/b": 1, "test/b": 2, "test/a": 0}))
    assert splits["test"].labels == [1, 1]


def test_folders_beside_the_splits_are_left_alone(make_folder: MakeFolder) -> None:
    names, splits = list_splits(make_folder({"train/a": 1, "train/b": 1, "notes": 3}))
    assert (names, set(splits)) == (("a", "b"), {"train"})


@pytest.mark.parametrize("counts", [{}, {"cat": 3}])
def test_fewer_than_two_classes_are_refused(make_folder: MakeFolder, tmp_path: Path, counts: dict[str, int]) -> None:
    (tmp_path / "photos").mkdir()
    (tmp_path / "photos" / "loose.png").touch()
    (folder := tmp_path / "photos").mkdir(exist_ok=True)
    make_folder(counts)
    with pytest.raises(RequestError) as caught:
        list_splits(folder)
    assert str(caught.value) == (
        f"{folder} has {len(counts)} class folder(s), but at least two are needed; "
        f"put the images of each class into their own folder, {folder}/CLASS/image.jpg."
    )


def test_a_training_split_without_classes_is_refused(make_folder: MakeFolder) -> None:
    root = make_folder({"train": 3, "val": 2})
    with pytest.raises(RequestError, match=rf"^{root}/train has 0 class folder\(s\), but at least two are needed"):
        list_splits(root)


def test_an_empty_class_is_refused(make_folder: MakeFolder) -> None:
    root = make_folder({"a": 1, "b": 0, "c": 1})
    with pytest.raises(RequestError, match=rf"^The class folder {root}/b is empty; add its images or remove it\.$"):
        list_splits(root)


def test_a_split_without_images_is_refused(make_folder: MakeFolder) -> None:
    root = make_folder({"train/a": 1, "train/b": 1, "test/a": 0})
    with pytest.raises(RequestError) as caught:
        list_splits(root)
    assert str(caught.value) == (
        f"{root}/test has no images; add them as {root}/test/CLASS/image.jpg or remove the folder."
    )


def test_a_class_that_training_does_not_know_is_refused(make_folder: MakeFolder) -> None:
    root = make_folder({"train/a": 1, "train/b": 1, "test/a": 1, "test/z": 1})
    with pytest.raises(RequestError) as caught:
        list_splits(root)
    assert str(caught.value) == (
        f"{root}/test has the class 'z', which no training image has; add training images of that class, or remove it."
    )


def test_splits_without_training_images_are_refused(make_folder: MakeFolder) -> None:
    root = make_folder({"test/a": 1, "val/a": 1})
    with pytest.raises(RequestError) as caught:
        list_splits(root)
    assert str(caught.value) == f"{root} has test/ but no train/; add training images as {root}/train/CLASS/…."


def test_two_folders_for_one_split_are_refused(make_folder: MakeFolder) -> None:
    root = make_folder({"train/a": 1, "train/b": 1, "val/a": 1, "valid/a": 1})
    with pytest.raises(RequestError) as caught:
        list_splits(root)
    assert str(caught.value) == (
        f"{root} has train/, val/, valid/, two of which are names of the same split; keep one of them."
    )


def test_a_name_that_no_json_file_can_hold_is_refused(make_folder: MakeFolder) -> None:
    root = make_folder({"a": 1})
    os.mkdir(os.fsencode(root) + b"/caf\xe9")
    with pytest.raises(
        RequestError, match=r"^The class folder 'caf\\udce9' has a name that is not UTF-8; rename it\.$"
    ):
        list_splits(root)


def test_a_locale_that_cannot_read_a_right_name_is_named(tmp_path: Path) -> None:
    (tmp_path / "çä.png").touch()
    program = "import sys; from pathlib import Path; from supcon.data import list_files; list_files(Path(sys.argv[1]))"
    environment = {**os.environ, "LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    done = subprocess.run([sys.executable, "-c", program, tmp_path], env=environment, capture_output=True, text=True)
    assert "is UTF-8, but the locale's encoding is ascii; set PYTHONUTF8=1 and repeat the command." in done.stderr
