"""What data sets are called in a run's results."""

from pathlib import Path

import pytest

from random_models import saved_run
from supcon.base.atomic_files import write_json
from supcon.jobs.data_names import names_of_data, source_digest, source_remark
from supcon.runs import Run


@pytest.fixture
def run(tmp_path: Path) -> Run:
    return saved_run(tmp_path / "run")


def folder(path: Path) -> str:
    path.mkdir(parents=True)
    return str(path)


def test_a_name_stands_for_one_data_set(run: Run, tmp_path: Path) -> None:
    first, second = folder(tmp_path / "a" / "photos"), folder(tmp_path / "b" / "photos")
    assert names_of_data(run, [first], "on") == ["photos"]
    assert names_of_data(run, [first, "digits", second], "on") == ["photos (a)", "digits", "photos (b)"]
    write_json(run.evaluation_file, source_remark("on/photos", first))
    assert names_of_data(run, [first], "on") == ["photos"]
    assert names_of_data(run, [second], "on") == ["photos (b)"]
    assert names_of_data(run, [second], "transfer") == ["photos"], "another family"


def test_more_folders_are_in_the_name_where_one_is_not_enough(run: Run, tmp_path: Path) -> None:
    paths = [folder(tmp_path / name / "a" / "photos") for name in ("x", "y")]
    assert names_of_data(run, paths, "on") == ["photos (a)", "photos (y-a)"]


def test_a_named_set_keeps_its_name(run: Run, tmp_path: Path) -> None:
    other = folder(tmp_path / "own" / "cifar10")
    assert names_of_data(run, [other, "cifar10"], "transfer") == ["cifar10 (own)", "cifar10"]


def test_other_kinds_of_data(run: Run) -> None:
    specs = ["hf:me/beans", "hf:you/beans", "arrays:12", "arrays:34"]
    names = names_of_data(run, specs, "transfer")
    assert names[:2] == ["beans (me)", "beans (you)"]
    assert len({*names}) == 4


def test_digests_of_paths(tmp_path: Path) -> None:
    assert source_digest(folder(tmp_path / "a" / "photos")) != source_digest(folder(tmp_path / "b" / "photos"))
    assert len(source_digest("digits")) == 8
