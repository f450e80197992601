"""The overview in README.md; `test_reproduce_experiments` has whole studies."""

import re
from pathlib import Path

import pytest

from supcon.experiments import (
    EXPERIMENTS,
    SCALES,
    FinishedCell,
    Request,
    experiment_markdown,
    gather,
    judge,
    overview_markdown,
    read_cells,
    table_csv,
)
from supcon.jobs.reproduction.study_files import END, START, cells_file, plot_names, write_overview

REQUEST = Request(scale=SCALES["smoke"])
COMMITTED = Path(__file__).parents[3] / "reproduction"
SMALL = Request(scale=SCALES["small"], data="cifar10/")


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


@pytest.fixture(scope="module")
def committed_cells() -> dict[str, FinishedCell]:
    return read_cells(sorted(COMMITTED.glob("*.cells.csv")))


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_committed_pages_are_those_of_their_cells(name: str, committed_cells: dict[str, FinishedCell]) -> None:
    """After a change: `supcon reproduce all --scale small --data cifar10/ --table`."""
    results = gather(EXPERIMENTS[name], SMALL, committed_cells)
    command = f"supcon reproduce {name} --scale small --data cifar10/"
    assert (COMMITTED / f"{name}.md").read_text("utf-8") == experiment_markdown(results, command, plot_names(results))
    assert (COMMITTED / f"{name}.csv").read_text("utf-8") == table_csv(results)


def test_the_committed_overview_is_that_of_the_cells(committed_cells: dict[str, FinishedCell]) -> None:
    every = [gather(experiment, SMALL.for_overview, committed_cells) for experiment in EXPERIMENTS.values()]
    table = (COMMITTED / "README.md").read_text("utf-8").partition(START)[2].partition(END)[0]
    assert table.strip() == overview_markdown(every, []).strip()


def claims_of_the_readme() -> dict[str, tuple[str, str]]:
    """Of the README's table of claims: experiment, verdict and what was measured."""
    text = (COMMITTED.parent / "README.md").read_text("utf-8")
    row = r"^\| \[[^]]*\]\(reproduction/([\w-]+)\.md\)[^|]*\| \*\*([^*|]+)\*\* \| (.*) \|$"
    return {name: (verdict, measured) for name, verdict, measured in re.findall(row, text, re.MULTILINE)}


def test_the_readmes_claims_have_the_verdicts_and_figures_of_their_pages(
    committed_cells: dict[str, FinishedCell],
) -> None:
    claims = claims_of_the_readme()
    assert len(claims) >= 10
    for name, (verdict, measured) in claims.items():
        results = gather(EXPERIMENTS[name], SMALL, committed_cells)
        assert verdict == judge(results).answer, name
        ours = {
            f"{100 * row.mean(measure):.1f}"
            for row in results.rows
            for measure in results.experiment.measures(results.request.scale)
        }
        assert set(re.findall(r"\d+\.\d(?= %| against)", measured)) <= ours, name
