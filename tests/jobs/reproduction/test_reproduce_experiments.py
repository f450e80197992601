"""Experiments run for real on the digits, one epoch."""

from pathlib import Path

import pytest

from supcon.cli.main import main
from supcon.experiments import read_cells


@pytest.fixture(scope="module")
def study(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """`robustness` with two worker processes; the options of a command on it."""
    root = tmp_path_factory.mktemp("study")
    options = ["--work", str(root / "work"), "--out", str(root / "out")]
    assert main(["reproduce", "robustness", "--workers", "2", *options]) == 0
    return options


def out_of(study: list[str]) -> Path:
    return Path(study[3])


def test_two_workers_make_a_table_a_plot_and_a_page(study: list[str]) -> None:
    out, work = out_of(study), Path(study[1])
    assert {path.name for path in out.iterdir()} == {
        "README.md",
        "robustness.md",
        "robustness.csv",
        "robustness.svg",
        "robustness.cells.csv",
    }
    text = (out / "robustness.md").read_text()
    assert "Fig. 3, Supp. Table 6 of the paper" in text
    assert "supcon reproduce robustness\n" in text
    assert "cannot be told from what was run" in text
    assert "[robustness](robustness.md)" in (out / "README.md").read_text()
    page = (work / "pages" / "robustness.html").read_text()
    assert "cannot be told from what was run" in page
    cells = read_cells([out / "robustness.cells.csv"])
    assert {cell.method for cell in cells.values()} == {"supcon", "cross-entropy"}
    for cell in cells.values():
        assert cell.threads == 1
        assert cell.right_images is not None
        assert cell.right_images.mean() == pytest.approx(cell.measures["test/top1"], abs=1e-6)
        assert cell.corrupted_images is not None
        assert cell.corrupted_images.mean() == pytest.approx(cell.measures["corruptions/mean_top1"], abs=1e-6)
    # Both were measured on one kept set of corrupted images.
    (kept,) = (work / "corrupted").iterdir()
    assert {path.name for path in kept.glob("*.npy")} == {
        "labels.npy",
        "gaussian_noise.npy",
        "fog.npy",
        "jpeg_compression.npy",
    }


def test_finished_cells_are_not_run_again_on_another_machine(
    study: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The committed CSV alone is enough: another work folder, another journal, and nothing is trained."""

    def no_training(*arguments: object) -> None:
        raise AssertionError("a finished cell was trained again")

    monkeypatch.setattr("supcon.jobs.reproduction.run_cell.run_recipe", no_training)
    elsewhere = ["--work", str(tmp_path / "work"), "--out", study[3]]
    assert main(["reproduce", "robustness", "calibration", *elsewhere]) == 0
    printed = capsys.readouterr().out
    assert "calibration, Supp. Table 6" in printed
    assert (out_of(study) / "calibration.md").exists()
    assert (out_of(study) / "calibration-2.svg").exists() is False
    assert "[calibration](calibration.md)" in (out_of(study) / "README.md").read_text()


def test_results_in_the_storage_are_not_announced_as_cells_to_run(
    study: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Another machine has the results of a database before it has them as files."""
    monkeypatch.setattr("supcon.jobs.reproduction.run_cell.run_recipe", None)
    assert main(["reproduce", "robustness", "--work", study[1], "--out", str(tmp_path / "out")]) == 0
    assert "to run" not in capsys.readouterr().err
    assert len(read_cells([tmp_path / "out" / "robustness.cells.csv"])) == 2


def test_what_people_wrote_around_the_overview_stays(study: list[str]) -> None:
    readme = out_of(study) / "README.md"
    text = readme.read_text()
    readme.write_text(f"{text}\nWritten by hand.\n")
    assert main(["reproduce", "robustness", "--table", *study]) == 0
    assert "Written by hand." in readme.read_text()
    assert readme.read_text().count("begin -->") == 1


def test_some_rows_do_not_replace_the_table_of_all(study: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    out, work = out_of(study), Path(study[1])
    before = {path.name: path.read_bytes() for path in out.iterdir()}
    assert main(["reproduce", "robustness", "--table", "--cells", "SupCon", *study]) == 0
    assert {path.name: path.read_bytes() for path in out.iterdir()} == before
    text = (work / "tables_in_part" / "robustness.md").read_text()
    assert "| Cross-entropy |" not in text
    assert "Only some rows were asked for" in text
    assert "tables_in_part/robustness.md" in capsys.readouterr().out.replace("\n", "")


def test_other_seeds_leave_the_overview_as_it_is(study: list[str]) -> None:
    readme = out_of(study) / "README.md"
    assert main(["reproduce", "robustness", "--table", *study]) == 0
    before = readme.read_text()
    assert main(["reproduce", "robustness", "--table", "--seeds", "5", *study]) == 0
    assert readme.read_text() == before


def test_status_says_what_is_left(study: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["reproduce", "datasets", "robustness", "--status", *study]) == 0
    lines = {line.split()[0]: line.split()[1:] for line in capsys.readouterr().out.splitlines() if line.strip()}
    assert lines["datasets"] == ["4", "2", "0", "0", "2"]
    assert lines["robustness"] == ["2", "2", "0", "0", "0"]


def test_a_cell_that_lacks_what_another_experiment_measures_is_finished_for_its_own(
    study: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["reproduce", "robustness", "transfer", "--status", *study]) == 0
    printed = capsys.readouterr().out
    lines = {line.split()[0]: line.split()[1:] for line in printed.splitlines() if line.strip()}
    assert lines["robustness"] == ["2", "2", "0", "0", "0"]
    assert lines["transfer"] == ["3", "0", "0", "0", "3"]
    assert "3 different cells left" in printed


@pytest.mark.parametrize("action", ["--status", "--table"])
@pytest.mark.parametrize(
    ("data", "used"), [("digits", True), ("elsewhere/digits", False), ("elsewhere/figures", False)]
)
def test_tables_of_other_data_are_not_replaced(
    study: list[str], action: str, data: str, used: bool, capsys: pytest.CaptureFixture[str]
) -> None:
    """A folder with the name of a data set may hold other images, and a name may be mistyped."""
    table = (out_of(study) / "robustness.md").read_text()
    assert main(["reproduce", "robustness", *study, "--data", data, action]) == (0 if used else 2)
    said = " ".join(capsys.readouterr().err.split())
    assert (
        "none of this request's, and their tables would be replaced: they are of data called digits." in said
    ) is not used
    if not used:
        assert (out_of(study) / "robustness.md").read_text() == table


def test_the_status_of_what_was_never_begun_writes_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    places = ["--work", str(tmp_path / "work"), "--out", str(tmp_path / "out")]
    assert main(["reproduce", "temperature", "--status", *places]) == 0
    assert "3 different cells left, 0 of them running" in capsys.readouterr().out
    assert list(tmp_path.iterdir()) == []
