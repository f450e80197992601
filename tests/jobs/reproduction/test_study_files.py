"""The overview in README.md; `test_reproduce_experiments` has whole studies."""

from pathlib import Path

from supcon.experiments import SCALES, Request
from supcon.jobs.reproduction.study_files import END, START, cells_file, write_overview

REQUEST = Request(scale=SCALES["smoke"])


def test_text_around_the_marks_stays(tmp_path: Path) -> None:
    readme = tmp_path / "README.md"
    readme.write_text(f"Before.\n\n{START}\nold\n{END}\nAfter.\n")
    write_overview(REQUEST, {}, tmp_path)
    text = readme.read_text()
    assert text.startswith("Before.\n\n")
    assert text.endswith("After.\n")
    assert "old" not in text
    assert "Not run at this scale: `loss-variants`" in text


def test_a_new_file_and_one_without_marks_get_the_table_at_the_end(tmp_path: Path) -> None:
    write_overview(REQUEST, {}, tmp_path / "new")
    assert (tmp_path / "new" / "README.md").read_text().startswith("# The paper's tables and figures, measured here\n")
    (tmp_path / "README.md").write_text("Notes.\n")
    write_overview(REQUEST, {}, tmp_path)
    write_overview(REQUEST, {}, tmp_path)
    text = (tmp_path / "README.md").read_text()
    assert text.startswith("Notes.\n")
    assert text.count(START) == text.count(END) == 1


def test_cells_stand_beside_their_table(tmp_path: Path) -> None:
    assert cells_file(tmp_path, "queue") == tmp_path / "queue.cells.csv"
