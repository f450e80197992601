"""`supcon reproduce`: runs experiments of the paper and writes their tables and verdicts."""

from collections.abc import Iterable, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from datetime import timedelta
from functools import partial
from pathlib import Path

from supcon.base.errors import RequestError
from supcon.base.progress import say
from supcon.experiments import (
    EXPERIMENTS,
    Cell,
    Experiment,
    FinishedCell,
    Request,
    Results,
    add_cells,
    cells_by_key,
    gather,
    is_finished,
    needed_cells,
    read_cells,
)
from supcon.jobs.reproduction.cell_study import CellStudy
from supcon.jobs.reproduction.study_files import cells_file, write_experiment, write_overview
from supcon.jobs.reproduction.study_storage import open_storage
from supcon.jobs.reproduction.study_time import seconds_of
from supcon.jobs.reproduction.worker_processes import run_workers
from supcon.recipes import flat_values, recipe_to_values


@dataclass(frozen=True, kw_only=True)
class StudyPlaces:
    """The folders of a study."""

    out: Path
    """Tables, plots, and the finished cells as CSV; meant to be committed."""
    work: Path
    """Runs, the journal, corrupted test sets and pages; not meant to be committed."""
    storage: str

    def tables(self, request: Request) -> Path:
        """The folder of tables and plots: one of its own for some rows, another recipe or other sets of `transfer`,
        whose tables must not replace those of the whole experiment."""
        return self.out if request.whole else self.work / "tables_in_part"

    def pages(self, request: Request) -> Path:
        """The folder of the HTML pages."""
        return self.work / "pages" if request.whole else self.tables(request)

    def finished(self) -> dict[str, FinishedCell]:
        """All finished cells in the files of `out`."""
        return read_cells(sorted(self.out.glob("*.cells.csv")))


@dataclass(frozen=True, kw_only=True)
class ExperimentStatus:
    """Progress of an experiment."""

    name: str
    cells: int
    finished: int
    failed: int
    """Number of finished cells whose training failed."""
    running: int


@dataclass(frozen=True, kw_only=True)
class StudyStatus:
    """Progress of all experiments; a cell that several share counts once."""

    experiments: list[ExperimentStatus]
    left: int
    running: int
    seconds_left: float
    """Estimated from the finished cells and the number of running workers, at least 1; NaN if no cell is finished."""


def reproduce(
    experiments: Sequence[Experiment],
    request: Request,
    places: StudyPlaces,
    *,
    options: str,
    workers: int = 1,
    worker_words: Sequence[str] = (),
) -> list[Results]:
    """Runs the unfinished cells of the experiments, then writes their tables, plots and pages.

    Several workers are processes that run `supcon` with `worker_words`. `options` are those of `supcon reproduce`, for
    the command that every page names.
    """
    while cells := _unfinished(experiments, request, places):
        with closing(_study(experiments, request, places)) as study:
            # The storage may have results of other machines that are not in the files of `out` yet.
            if left := {key: cells[key] for key in study.left if key in cells}:
                seconds = seconds_of(left.values(), _known(request, study.finished), study.finished)
                say(_estimate(left, seconds, workers, try_steps=request.scale.name != "smoke"))
            if workers == 1:
                take_cells(experiments, request, places)
            else:
                run_workers(workers, worker_words, places.work / "logs", partial(_progress, study))
            _add(study.finished.values(), experiments, request, places, study)
    return write_tables(experiments, request, places, options)


def check_cells_of_out(request: Request, places: StudyPlaces) -> None:
    """Raises an error if the finished cells in `out` all belong to something else: the tables there would be replaced.

    Mostly the name of the data is mistyped, or another scale was meant.
    """
    finished = places.finished()
    if not request.whole or not finished:
        return
    every = {cell.key for one in EXPERIMENTS.values() for cell in needed_cells(one, request, finished)}
    if not every & finished.keys():
        data = " and ".join(sorted({cell.data for cell in finished.values()}))
        raise RequestError(
            f"The finished cells in {places.out} are none of this request's, and their tables would be replaced: they "
            f"are of data called {data}. If that is a folder, give --data {data}/ (without the slash it is the data "
            "set of that name), otherwise another --out."
        )


def take_cells(experiments: Sequence[Experiment], request: Request, places: StudyPlaces) -> None:
    """Runs cells of the experiments in this process until all are finished."""
    from supcon.jobs.reproduction.run_cell import CellPlaces, run_cell
    from supcon.jobs.reproduction.shared_stage1 import SharedStage1

    while _unfinished(experiments, request, places):
        with closing(_study(experiments, request, places)) as study:
            record = partial(_add, experiments=experiments, request=request, places=places, study=study)
            shared = SharedStage1(places.work, study.cells.values())
            run = partial(run_cell, places=CellPlaces(places.work, request.scale), shared=shared)
            study.work(run, lambda cell, record=record: record([cell]))  # type: ignore[misc]
            record(study.finished.values())


def write_tables(
    experiments: Sequence[Experiment], request: Request, places: StudyPlaces, options: str
) -> list[Results]:
    """Writes tables, plots and pages of the finished cells; runs nothing."""
    finished = places.finished()
    every = [gather(experiment, request, finished) for experiment in experiments]
    for results in every:
        used = [finished[cell.key] for cell in results.cells]
        if used:
            add_cells(cells_file(places.out, results.experiment.name), used)
        command = f"supcon reproduce {results.experiment.name} {options}".rstrip()
        write_experiment(results, places.tables(request), places.pages(request), command)
    if request.whole:
        write_overview(request, finished, places.out)
    return every


def study_status(experiments: Sequence[Experiment], request: Request, places: StudyPlaces) -> StudyStatus:
    """Progress of each experiment, from the files and from the storage."""
    finished = places.finished()
    left, running = set(_unfinished(experiments, request, places)), set[str]()
    if "://" in places.storage or Path(places.storage).exists():
        with closing(_study(experiments, request, places)) as study:
            left, running, finished = set(study.left), set(study.running), study.finished
    cells_left = [cell for key, cell in _cells(experiments, request, finished).items() if key in left]
    seconds = seconds_of(cells_left, _known(request, finished), finished) / max(len(running & left), 1)
    found = []
    for experiment in experiments:
        cells = cells_by_key(needed_cells(experiment, request, finished))
        # By its own extras: a cell may still lack those of another experiment, and is then left in the study.
        done = {key for key, cell in cells.items() if is_finished(cell, finished)}
        found.append(
            ExperimentStatus(
                name=experiment.name,
                cells=len(cells),
                finished=len(done),
                failed=sum(bool(finished[key].failure) for key in done),
                running=len((cells.keys() & running) - done),
            )
        )
    return StudyStatus(experiments=found, left=len(left), running=len(running & left), seconds_left=seconds)


def _cells(experiments: Sequence[Experiment], request: Request, finished: dict[str, FinishedCell]) -> dict[str, Cell]:
    return cells_by_key([cell for one in experiments for cell in needed_cells(one, request, finished)])


def _known(request: Request, finished: dict[str, FinishedCell]) -> dict[str, Cell]:
    """The cells of all experiments, to know what finished ones trained."""
    return _cells(list(EXPERIMENTS.values()), replace(request, only=()), finished)


def _unfinished(experiments: Sequence[Experiment], request: Request, places: StudyPlaces) -> dict[str, Cell]:
    finished = places.finished()
    cells = _cells(experiments, request, finished)
    return {key: cell for key, cell in cells.items() if not is_finished(cell, finished)}


def _study(experiments: Sequence[Experiment], request: Request, places: StudyPlaces) -> CellStudy:
    finished = places.finished()
    cells = _cells(experiments, request, finished)
    return CellStudy(open_storage(places.storage), cells, finished, places.work)


def _add(
    cells: Iterable[FinishedCell],
    experiments: Sequence[Experiment],
    request: Request,
    places: StudyPlaces,
    study: CellStudy,
) -> None:
    """Writes finished cells to the file of every experiment that has them."""
    cells = list(cells)
    for experiment in experiments:
        keys = {cell.key for cell in needed_cells(experiment, request, study.finished)}
        mine = [cell for cell in cells if cell.key in keys]
        if mine:
            add_cells(cells_file(places.out, experiment.name), mine)


def _estimate(cells: dict[str, Cell], seconds: float, workers: int, *, try_steps: bool) -> str:
    """The number of cells and the time, estimated from finished cells or from two steps of the first one."""
    source = "as finished ones took"
    if not seconds > 0 and not try_steps:
        return f"{len(cells)} cells to run."
    if not seconds > 0:
        from supcon.jobs.train_run import dry_run

        recipe = next(iter(cells.values())).recipe
        stages = dry_run(recipe, flat_values(recipe_to_values(recipe)))
        seconds = len(cells) * sum(stage.seconds for stage in stages)
        source = "estimated from two steps, without evaluation"
    total, one = (timedelta(seconds=round(seconds / parts)) for parts in (workers, len(cells)))
    return f"{len(cells)} cells to run, {one} each ({source}): {total} with {workers} worker{'s' * (workers > 1)}."


def _progress(study: CellStudy) -> str:
    """Without the time of the end, which `--status` estimates: it would be another line every minute."""
    left, running = study.left, study.running
    return f"{len(study.cells) - len(left)} of {len(study.cells)} cells finished, {len(running)} running."
