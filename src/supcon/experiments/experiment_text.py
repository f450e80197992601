"""`reproduction/NAME.md` and the overview, as Markdown; does not import torch."""

from collections import Counter
from collections.abc import Sequence
from datetime import timedelta

from supcon.data import short_name
from supcon.experiments.experiment import OURS, Experiment, Outcome
from supcon.experiments.paper_and_ours import result_table
from supcon.experiments.results import Results
from supcon.experiments.scale import SCALES
from supcon.experiments.verdict import judge, method_text

BESIDES = "No part of the claim, each tested by itself at 5 %:"


def experiment_markdown(results: Results, command: str, plots: Sequence[str]) -> str:
    """Claim, verdict, table, plots, command and method of an experiment."""
    experiment, verdict, table = results.experiment, judge(results), result_table(results)
    failures = [
        f"- {row.setting.name}, seed {cell.seed}: {cell.failure}" for row in results.rows for cell in row.failures
    ]
    sections = [
        f"# {experiment.name}",
        f"{where_text(experiment)} {experiment.claim}",
        f"**{verdict.sentence}**",
        _outcomes(verdict.parts),
        *([BESIDES, _outcomes(verdict.besides)] if verdict.besides else []),
        markdown_table(table.headings, table.rows),
        "Mean ± standard deviation over seeds; differences are ours minus the paper's, in points where figures are per "
        "cent.",
        *(f"![{experiment.name}]({plot})" for plot in plots),
        *(["Training failed:", "\n".join(failures)] if failures else []),
        "## How it differs from the paper",
        differs_text(results),
        "## How it was made",
        f"```sh\n{command}\n```",
        "\n".join(f"- {line}" for line in circumstances(results)),
        "## How the verdict is reached",
        method_text(results),
    ]
    return "\n\n".join(section for section in sections if section) + "\n"


def differs_text(results: Results) -> str:
    """How the setting differs from the paper's; first what the user has put in the place of the scale's own."""
    request, usual = results.request, SCALES[results.request.scale.name].base().data.spec
    changed = [f"the recipe {request.recipe}"] if request.recipe else []
    own = [row.setting.name for row in results.rows if row.setting.recipe]
    if changed and own:
        changed[0] += f" (not for {', '.join(own)})"
    if request.data is not None and short_name(request.data) != usual:
        changed.append(f"the data {short_name(request.data)}")
    first = f"Made with {' and '.join(changed)} in place of the scale's own, which follow." if changed else ""
    return " ".join(text for text in (first, request.scale.differs, results.experiment.differs) if text)


def _outcomes(outcomes: Sequence[Outcome]) -> str:
    return "\n".join(f"- {one.answer}: {one.sentence}" for one in outcomes)


def circumstances(results: Results) -> list[str]:
    """Hardware, time and seeds of the cells."""
    cells = results.cells
    if not cells:
        return ["Nothing is measured yet."]
    seconds = sum(cell.seconds for cell in cells)
    seeds = ", ".join(str(seed) for seed in sorted({cell.seed for cell in cells}))
    where = Counter(f"{cell.processor}, {cell.threads} thread{'s' * (cell.threads > 1)}" for cell in cells)
    commits = sorted({_short(cell.commit) for cell in cells if cell.commit})
    more = sorted({cell.seed for cell in cells} - set(results.request.seeds))
    lines = [
        f"{len(cells)} cell{'s' * (len(cells) > 1)}, seeds {seeds}; "
        f"{timedelta(seconds=round(seconds))} of computing in all, "
        f"{timedelta(seconds=round(seconds / len(cells)))} a cell. Cells that other experiments share count here too.",
        *(f"{count} cell{'s' * (count > 1)} on: {name}" for name, count in where.items()),
        f"Finished {min(cell.finished for cell in cells)[:10]} to {max(cell.finished for cell in cells)[:10]}"
        + (f", commits {', '.join(commits)}." if commits else "."),
    ]
    if more:
        lines.append(
            f"Cells with seeds {', '.join(map(str, more))} were run for other tables and are used here too; from an "
            "empty folder the command gives its own seeds only, and the verdict may be that it cannot be told."
        )
    if results.missing:
        more_seeds = "; they would give every setting the seeds that it asks for" if results.complete else ""
        lines.append(f"{results.missing} cells of this command are not run yet{more_seeds}.")
    return lines


def _short(commit: str) -> str:
    """Ten digits, and whether the files differed from the commit.

    >>> _short("0123456789abcdef+changes")
    '0123456789+changes'
    """
    digits, changed, _ = commit.partition("+changes")
    return digits[:10] + changed


def overview_markdown(every: Sequence[Results], waiting: Sequence[str]) -> str:
    """A table of the experiments that were run, and the names of the others."""
    rows = []
    for results in every:
        experiment, counts = results.experiment, sorted({len(row.cells) for row in results.rows})
        rows.append(
            (
                f"[{experiment.name}]({experiment.name}.md)",
                experiment.where,
                experiment.claim,
                f"**{judge(results).answer}**",
                str(counts[0]) if len(counts) == 1 else f"{counts[0]} to {counts[-1]}",
                _left(results),
            )
        )
    table = markdown_table(("experiment", "paper", "claim", "verdict", "seeds", "cells left"), rows)
    rest = f"Not run at this scale: {', '.join(f'`{name}`' for name in waiting)}." if waiting else ""
    return "\n\n".join(part for part in (table, rest) if part) + "\n"


def _left(results: Results) -> str:
    return str(results.missing) if results.missing else "–"


def markdown_table(headings: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A Markdown table; `|` in cells is escaped."""
    lines = [headings, ["---"] * len(headings), *rows]
    return "\n".join("| " + " | ".join(text.replace("|", "\\|") for text in line) + " |" for line in lines)


def where_text(experiment: Experiment) -> str:
    """Where in the paper the table or figure is."""
    return "Not in the paper." if experiment.where == OURS else f"{experiment.where} of the paper."
