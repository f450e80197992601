from pathlib import Path

import pytest

from supcon.base.errors import RequestError
from supcon.data.catalogue import NAMES
from supcon.data.spec import absolute, read_spec, short_name


def test_every_kind_is_told_apart(tmp_path: Path) -> None:
    table = tmp_path / "birds.CSV"
    table.touch()
    assert read_spec(str(tmp_path)).kind == "folder"
    assert read_spec(str(table)).kind == "manifest"
    assert read_spec("webdataset:a-{0..3}.tar").rest == "a-{0..3}.tar"
    assert (read_spec("hf:me/beans").kind, read_spec("hf:me/beans").rest) == ("hugging-face", "me/beans")
    assert read_spec("arrays:abc").kind == "arrays"
    assert all(read_spec(name).kind == "name" for name in NAMES)


@pytest.mark.parametrize(
    ("spec", "sentence"),
    [
        ("cifar-10", "There is no folder and no data set called 'cifar-10'; did you mean 'cifar10'?"),
        ("nowhere/at/all", "There is no folder and no data set called 'nowhere/at/all'; `supcon datasets` lists"),
        ("gone.csv", "There is no manifest gone.csv; give the path of an existing .csv or .parquet file."),
        ("hf:", "There is no folder and no data set called 'hf:'"),
    ],
)
def test_what_is_nothing_gets_one_sentence(spec: str, sentence: str) -> None:
    with pytest.raises(RequestError) as caught:
        read_spec(spec)
    assert str(caught.value).startswith(sentence)


def test_paths_are_full_in_a_run_and_names_stay(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("photos").mkdir()
    Path("t.csv").touch()
    root = str(tmp_path.resolve())
    assert absolute("photos") == f"{root}/photos"
    assert absolute("t.csv") == f"{root}/t.csv"
    assert absolute("hf:photos") == f"hf:{root}/photos"
    assert absolute("webdataset:a-{0..3}.tar") == f"webdataset:{root}/a-{{0..3}}.tar"
    assert [absolute(spec) for spec in ("digits", "hf:beans", "arrays:0f")] == ["digits", "hf:beans", "arrays:0f"]


def test_a_run_is_called_after_its_data() -> None:
    specs = ["digits", "/a/photos", "/a/t.parquet", "webdataset:/a/cars/{00..11}.tar", "hf:me/beans", "arrays:0f"]
    assert [short_name(spec) for spec in specs] == ["digits", "photos", "t", "cars", "beans", "arrays"]
