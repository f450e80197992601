from collections.abc import Callable
from pathlib import Path

import pytest

from supcon.base.errors import RequestError
from supcon.data.config import DataConfig
from supcon.data.load import load_data

MakeFolder = Callable[..., Path]


def test_the_digits_load() -> None:
    assert load_data(DataConfig(spec="digits")).name == "digits"


def test_a_folder_loads(make_folder: MakeFolder) -> None:
    assert load_data(DataConfig(spec=str(make_folder({"a": 4, "b": 4})))).class_names == ("a", "b")


def test_home_is_understood(make_folder: MakeFolder, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    make_folder({"a": 4, "b": 4})
    monkeypatch.setenv("HOME", str(tmp_path))
    assert load_data(DataConfig(spec="~/photos")).name == "photos"


def test_a_folder_beside_a_named_set_is_reached_by_its_path(
    make_folder: MakeFolder, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    make_folder({"a": 4, "b": 4}).rename(tmp_path / "digits")
    monkeypatch.chdir(tmp_path)
    assert len(load_data(DataConfig(spec="digits")).class_names) == 10
    assert len(load_data(DataConfig(spec="./digits")).class_names) == 2


def test_the_seed_reaches_the_split(make_folder: MakeFolder) -> None:
    config = DataConfig(spec=str(make_folder({"a": 20, "b": 20})))
    first, again, other = (load_data(config, seed).test.images[:].tolist() for seed in (0, 0, 1))
    assert first == again
    assert first != other


def test_given_statistics_replace_the_computed_ones() -> None:
    computed = load_data(DataConfig())
    given = load_data(DataConfig(mean=(0.0,), std=(0.25,)))
    assert (given.mean, given.std) == ((0.0,), (0.25,))
    only_std = load_data(DataConfig(std=(0.25,)))
    assert (only_std.mean, only_std.std) == (computed.mean, (0.25,))


@pytest.mark.parametrize("name", ["mean", "std"])
@pytest.mark.parametrize("values", [(), (0.5, 0.5, 0.5)])
def test_statistics_need_one_value_for_each_channel(name: str, values: tuple[float, ...]) -> None:
    with pytest.raises(RequestError) as caught:
        load_data(DataConfig(**{name: values}))  # type: ignore[arg-type]
    assert str(caught.value) == f"data.{name} needs one value for each of the 1 channels, got {values}."


@pytest.mark.parametrize(
    ("spec", "hint"),
    [("digit", "did you mean 'digits'?"), ("nowhere/at/all", "`supcon datasets` lists the named sets.")],
)
def test_unknown_data_gets_the_nearest_name(spec: str, hint: str) -> None:
    with pytest.raises(RequestError) as caught:
        load_data(DataConfig(spec=spec))
    assert str(caught.value) == f"There is no folder and no data set called {spec!r}; {hint}"


def test_a_file_is_not_a_data_set(tmp_path: Path) -> None:
    path = tmp_path / "photos.zip"
    path.touch()
    with pytest.raises(RequestError) as caught:
        load_data(DataConfig(spec=str(path)))
    assert str(caught.value) == (
        f"{path} is a file of another type; give a folder of images, a .csv or .parquet manifest, or the name "
        f"of a data set; "
        "`supcon datasets` lists the named sets."
    )
