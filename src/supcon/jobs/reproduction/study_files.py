"""The files of a study: tables, plots, pages, and the overview of all experiments."""

from collections.abc import Mapping
from pathlib import Path

from supcon.base.atomic_files import write_text
from supcon.experiments import (
    EXPERIMENTS,
    FinishedCell,
    Request,
    Results,
    charts_of,
    circumstances,
    differs_text,
    experiment_markdown,
    gather,
    judge,
    method_text,
    overview_markdown,
    result_table,
    table_csv,
    where_text,
)
from supcon.report import ExperimentPage, build_experiment_page, chart_svg

START, END = "<!-- supcon reproduce: begin -->", "<!-- supcon reproduce: end -->"
"""The command replaces the text between these marks; the rest of README.md stays unchanged."""


def cells_file(out: Path, name: str) -> Path:
    """The CSV file of an experiment's finished cells."""
    return out / f"{name}.cells.csv"


def plot_names(results: Results) -> list[str]:
    """The files of an experiment's plots."""
    name, count = results.experiment.name, len(charts_of(results))
    return [f"{name}.svg" if number == 0 else f"{name}-{number + 1}.svg" for number in range(count)]


def write_experiment(results: Results, out: Path, pages: Path, command: str) -> None:
    """Writes `NAME.md`, `NAME.csv` and `NAME.svg` to `out`, and the page, which includes its JavaScript, to `pages`."""
    name, charts = results.experiment.name, charts_of(results)
    for folder in (out, pages):
        folder.mkdir(parents=True, exist_ok=True)
    plots = plot_names(results)
    for plot, chart in zip(plots, charts, strict=True):
        write_text(out / plot, chart_svg(chart))
    write_text(out / f"{name}.csv", table_csv(results))
    write_text(out / f"{name}.md", experiment_markdown(results, command, plots))
    write_text(pages / f"{name}.html", build_experiment_page(_page(results, command)))


def _page(results: Results, command: str) -> ExperimentPage:
    experiment, verdict, table = results.experiment, judge(results), result_table(results)
    return ExperimentPage(
        name=experiment.name,
        where=where_text(experiment).removesuffix("."),
        claim=experiment.claim,
        verdict=verdict.sentence,
        parts=[(part.answer, part.sentence) for part in verdict.parts],
        besides=[(part.answer, part.sentence) for part in verdict.besides],
        headings=table.headings,
        rows=table.rows,
        charts=charts_of(results),
        differs=differs_text(results),
        circumstances=circumstances(results),
        method=method_text(results),
        command=command,
    )


def write_overview(request: Request, finished: Mapping[str, FinishedCell], out: Path) -> None:
    """Writes the table of all experiments to `README.md`: between the marks, or at its end if it has none."""
    written = [name for name in EXPERIMENTS if (out / f"{name}.md").exists()]
    every = [gather(EXPERIMENTS[name], request.for_overview, finished) for name in written]
    table = f"{START}\n{overview_markdown(every, [name for name in EXPERIMENTS if name not in written])}{END}\n"
    file = out / "README.md"
    text = file.read_text(encoding="utf-8") if file.exists() else "# The paper's tables and figures, measured here\n\n"
    if START in text and END in text:
        before, _, rest = text.partition(START)
        text = before + table + rest.partition(END)[2].lstrip("\n")
    else:
        text = f"{text.rstrip()}\n\n{table}"
    out.mkdir(parents=True, exist_ok=True)
    write_text(file, text)
