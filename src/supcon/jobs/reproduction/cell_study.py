"""Distributes cells to workers by an Optuna study: any number of processes and machines share one storage.

The grid sampler goes through the cells. A cell is finished if its result is in the storage or in a CSV file; if the
sampler returns a finished cell, its stored result is used. A worker waits for cells that other live workers run.
The cell of a dead worker is queued again: with a database by Optuna's heartbeat, with a journal file by the lock that
every worker holds (`worker_lease`).
"""

import fcntl
import hashlib
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

from supcon.experiments import Cell, FinishedCell, from_json, is_finished, merge, to_json
from supcon.jobs.reproduction.study_storage import calm, connected
from supcon.jobs.reproduction.worker_lease import WorkerLease, is_alive

if TYPE_CHECKING:
    from optuna import Study, Trial
    from optuna.storages import BaseStorage
    from optuna.trial import FrozenTrial

_POLL = 1.0
_FRESH = timedelta(seconds=5)
"""Seconds during which a trial may lack the name of its worker, because it has just been created."""
_RESULT, _WORKER = "result", "worker"
_PART = 30_000
"""Characters of a result in one attribute of a trial: MySQL keeps 64 KB of it, with every quote as two characters."""


class CellStudy:
    """The cells of one request, with this process as a worker."""

    def __init__(
        self, storage: "BaseStorage", cells: Mapping[str, Cell], finished: Mapping[str, FinishedCell], work: Path
    ) -> None:
        import optuna

        self.storage, self.cells, self.work_folder = storage, dict(sorted(cells.items())), work
        self.finished = dict(finished)
        self._workers = work / "workers"
        self._seen: set[tuple[str, int]] = set()
        self._looked_at: dict[str, Study] = {}
        self._was_given_up = False
        # With what is measured: the grid of a study whose cells are all complete is exhausted.
        parts = [(key, *sorted(cell.extras), *sorted(cell.transfers)) for key, cell in self.cells.items()]
        digest = hashlib.blake2b(repr(parts).encode(), digest_size=6).hexdigest()
        with calm(), connected(self.storage):
            self.study: Study = optuna.create_study(
                storage=storage,
                study_name=f"supcon-{digest}",
                sampler=optuna.samplers.GridSampler({"cell": list(self.cells)}),
                direction="maximize",
                load_if_exists=True,
            )

    def close(self) -> None:
        """Closes the connections to a database."""
        from optuna.storages import RDBStorage

        if isinstance(self.storage, RDBStorage):
            self.storage.remove_session()
            self.storage.engine.dispose()

    @property
    def left(self) -> list[str]:
        """Keys of the cells that are finished neither in this study nor in another one of the storage."""
        with connected(self.storage):
            self._read_results()
        return [key for key, cell in self.cells.items() if not is_finished(cell, self.finished)]

    @property
    def running(self) -> dict[str, datetime]:
        """Keys of the running cells, and the time of their start."""
        with connected(self.storage):
            return {key: trial.datetime_start or datetime.now() for key, trial, _ in self._running()}

    def work(self, run: Callable[[Cell], FinishedCell], on_finished: Callable[[FinishedCell], None]) -> None:
        """Runs cells until all are finished; waits for those that other workers are running."""
        lease = WorkerLease(self._workers)
        try:
            with calm(), connected(self.storage):
                self._queue_failed()
                while left := self.left:
                    self._take_back()
                    if set(left) <= set(self.running):
                        time.sleep(_POLL)
                        continue
                    self._run_one(lambda trial: self._objective(trial, lease, run, on_finished))
        finally:
            lease.close()

    def _run_one(self, objective: "Callable[[Trial], float]") -> None:
        """Runs a cell; one that others gave up because this process was paused (a sleeping laptop) is no error."""
        from optuna.exceptions import UpdateFinishedTrialError

        try:
            self.study.optimize(objective, n_trials=1)
        except UpdateFinishedTrialError:  # before the objective was called
            self._was_given_up = False
        except (RuntimeError, ValueError):  # Optuna's, when it then marks the trial as failed
            if not self._was_given_up:
                raise
            self._was_given_up = False

    def _objective(
        self,
        trial: "Trial",
        lease: WorkerLease,
        run: Callable[[Cell], FinishedCell],
        on_finished: Callable[[FinishedCell], None],
    ) -> float:
        with self._may_be_given_up():
            trial.set_user_attr(_WORKER, lease.name)
            key = trial.suggest_categorical("cell", list(self.cells))
        self._wait_for_others(trial, key)
        with self._alone(key):
            self._read_results()
            if not is_finished(self.cells[key], self.finished):
                found = run(self.cells[key])
                self.finished[key] = found
                on_finished(found)
        result = self.finished[key]
        self._store(trial, result)
        return result.measures.get("test/top1", 0.0)

    def _store(self, trial: "Trial", result: FinishedCell) -> None:
        with self._may_be_given_up():
            for name, part in _parts(to_json(result)).items():
                trial.set_user_attr(name, part)

    @contextmanager
    def _may_be_given_up(self) -> Iterator[None]:
        """Around changes of the trial; a pause can also fall between its beginning and the name of its worker."""
        from optuna.exceptions import UpdateFinishedTrialError

        try:
            yield
        except UpdateFinishedTrialError:
            self._was_given_up = True
            raise

    def _wait_for_others(self, trial: "Trial", key: str) -> None:
        """Waits while an earlier worker is running the cell: until it is finished or that worker is dead."""
        mine = (trial.datetime_start, self.study.study_name, trial.number)
        while any(
            other == key and (found.datetime_start, name, found.number) < mine for other, found, name in self._running()
        ):
            self._take_back()
            time.sleep(_POLL)

    @contextmanager
    def _alone(self, key: str) -> Iterator[None]:
        """A lock by which only one process of a machine runs a cell, even if several studies contain it."""
        folder = self.work_folder / "cells"
        folder.mkdir(parents=True, exist_ok=True)
        with (folder / f"{key}.lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            yield

    def _take_back(self) -> None:
        """Marks the trials of dead workers as failed and queues their cells again."""
        from optuna.storages import fail_stale_trials

        for study in self._studies():
            if self._has_heartbeat:
                fail_stale_trials(study)
                continue
            for trial in _trials(study, "RUNNING"):
                if self._is_dead(trial):
                    _fail_and_queue(study, trial)

    @property
    def _has_heartbeat(self) -> bool:
        from optuna.storages import RDBStorage

        return isinstance(self.storage, RDBStorage)

    def _is_dead(self, trial: "FrozenTrial") -> bool:
        """Whether a worker with a journal file has ended without finishing the trial."""
        started = trial.datetime_start or datetime.now()
        return datetime.now() - started > _FRESH and not is_alive(self._workers, trial.user_attrs.get(_WORKER, ""))

    def _queue_failed(self) -> None:
        """Queues cells again that failed with an error, such as a full disk, before this worker started."""
        waiting = {t.params.get("cell") for state in ("WAITING", "RUNNING") for t in _trials(self.study, state)}
        for trial in {t.params["cell"]: t for t in _trials(self.study, "FAIL") if "cell" in t.params}.values():
            if trial.params["cell"] in self.left and trial.params["cell"] not in waiting:
                _queue(self.study, trial)

    def _running(self) -> list[tuple[str, "FrozenTrial", str]]:
        """Key, trial and study of every cell that is running."""
        return [
            (trial.params["cell"], trial, study.study_name)
            for study in self._studies()
            for trial in _trials(study, "RUNNING")
            if "cell" in trial.params and (self._has_heartbeat or not self._is_dead(trial))
        ]

    def _studies(self) -> "list[Study]":
        """This study and all others of the storage, opened without a sampler: the grid sampler cannot end the trials of
        other studies."""
        import optuna

        for name in [study.study_name for study in self.storage.get_all_studies()]:
            if name.startswith("supcon-") and name not in self._looked_at:
                sampler = optuna.samplers.RandomSampler()
                self._looked_at[name] = optuna.load_study(study_name=name, storage=self.storage, sampler=sampler)
        return list(self._looked_at.values())

    def _read_results(self) -> None:
        for study in self._studies():
            for trial in _trials(study, "COMPLETE"):
                place = (study.study_name, trial.number)
                if place not in self._seen and _RESULT in trial.user_attrs:
                    self._seen.add(place)
                    merge(self.finished, [from_json(_joined(trial.user_attrs))])


def _parts(result: str) -> dict[str, str]:
    """A result as attributes of a trial, which in MySQL have a limited length.

    >>> parts = _parts("0123456789" * 4_000)
    >>> list(parts), _joined(parts) == "0123456789" * 4_000
    (['result', 'result1'], True)
    """
    starts = range(0, len(result), _PART)
    return {f"{_RESULT}{number or ''}": result[start : start + _PART] for number, start in enumerate(starts)}


def _joined(attributes: Mapping[str, Any]) -> str:
    numbers = sorted(int(name.removeprefix(_RESULT) or 0) for name in attributes if name.startswith(_RESULT))
    return "".join(attributes[f"{_RESULT}{number or ''}"] for number in numbers)


def _trials(study: "Study", state: str) -> "list[FrozenTrial]":
    from optuna.trial import TrialState

    return study.get_trials(deepcopy=False, states=(TrialState[state],))


def _fail_and_queue(study: "Study", trial: "FrozenTrial") -> None:
    from optuna.exceptions import UpdateFinishedTrialError
    from optuna.trial import TrialState

    try:
        study.tell(trial.number, state=TrialState.FAIL)
    except (UpdateFinishedTrialError, ValueError):  # another worker was faster, and has queued it
        return
    _queue(study, trial)


def _queue(study: "Study", trial: "FrozenTrial") -> None:
    """Queues the cell as a waiting trial for the next free worker, without the name of its last worker."""
    from optuna import create_trial
    from optuna.trial import TrialState

    attributes: dict[str, Any] = dict(trial.system_attrs)
    study.add_trial(
        create_trial(
            state=TrialState.WAITING, params=trial.params, distributions=trial.distributions, system_attrs=attributes
        )
    )
