"""What a run must survive, done to real processes: kill -9 at random moments, and every file operation failing once."""

import json
import os
import random
import shutil
import signal
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

import numpy as np

from references.command_server import CommandServer, Ended
from references.faulty_files import ERRORS
from references.tiny_run import tiny_images, train_words
from supcon.base.metrics_table import read_metrics
from supcon.experiments import read_cells

__all__ = ["ERRORS", "Survival"]

_TRANSFER = ("--protocol", "linear", "--grid", "small", "--device", "cpu")

_SECOND_NAME = "stage1/checkpoints/previous.ckpt"


class Survival:
    """The tiniest run, done once without disturbance, and again with every disturbance that is asked for."""

    def __init__(self, work: Path, server: CommandServer) -> None:
        self.work, self.data, self.server = work, tiny_images(work / "images"), server
        self.whole = work / "whole"
        self._must(train_words(self.data, self.whole))  # warms up
        shutil.rmtree(self.whole)
        self.seconds = self._must(train_words(self.data, self.whole)).seconds
        self.later = self._later_commands()

    # Faults

    def operations(self, *, later: str | None = None) -> int:
        """How many file operations a run has in its folder and its data, or a later command in the run's folder."""
        out = self.work / "counted"
        words, roots = self._faulty_words(out, later)
        count = self._must(words, roots=roots).operations
        shutil.rmtree(out)
        return count

    def fault(self, at: int, error: str, *, later: str | None = None) -> tuple[str, int]:
        """Lets one operation fail, then does the work again; what failed, and the exit code."""
        out = self.work / "faulty"
        shutil.rmtree(out, ignore_errors=True)
        words, roots = self._faulty_words(out, later)
        before = _snapshot(out)
        ended = self.server.run(words, roots=roots, at=at, error=error)
        case = f"{error} at operation {at}, {ended.failed}: exit code {ended.code}\n{ended.said[-1500:]}"
        assert ended.code in (0, 1, 2), case
        if ended.code:
            self._check_sentence(ended, case)
        for name, content in before.items():  # earlier results are there, or were replaced by complete ones
            assert (out / name).exists(), f"{name} is gone after {case}"
            assert content is None or json.loads((out / name).read_text()), case
        again = self.server.run(words if later else [*words, "--resume"])
        assert again.code == 0, f"after {case}\nthe second time: {again.said[-1500:]}"
        without = ""
        if ended.failed.startswith("link ") or ".previous.ckpt." in ended.failed:  # goes on without it, and says so
            without = _SECOND_NAME
            assert ended.code or "previous.ckpt cannot be written" in " ".join(ended.said.split()), case
        self._check_same(out, self.later[later] if later else self.whole, case, may_lack=without)
        return ended.failed, ended.code

    def _faulty_words(self, out: Path, later: str | None) -> tuple[list[object], list[str]]:
        if later is None:
            return list(train_words(self.data, out)), [str(out), str(self.data)]
        shutil.copytree(self.whole, out)
        return self._later_words(later, out), [str(out)]

    @staticmethod
    def _check_sentence(ended: Ended, case: str) -> None:
        last = ended.said.strip().splitlines()[-1]
        assert last.startswith("supcon: "), case
        assert "Traceback" not in ended.said, case
        assert "--debug" not in last, case
        assert len(last) < 620, case

    # Kills

    def kill_training(self, draw: random.Random) -> int:
        """Trains with kill -9 at random moments until a run is finished; how many kills it took."""
        out, kills = self.work / "killed", 0
        shutil.rmtree(out, ignore_errors=True)
        while True:
            ended = self._killed([*train_words(self.data, out), "--resume"], draw.uniform(0.05, 1.1 * self.seconds))
            if ended.code == 0:
                break
            assert ended.code == -signal.SIGKILL, ended.said[-2000:]
            kills += 1
        self._check_same(out, self.whole, f"{kills} kills")
        return kills

    def kill_later(self, name: str, draw: random.Random) -> int:
        """The same for a command that works on a finished run: evaluate, report, transfer."""
        out, kills = self.work / "killed", 0
        shutil.rmtree(out, ignore_errors=True)
        shutil.copytree(self.whole, out)
        while True:
            ended = self._killed(self._later_words(name, out), draw.uniform(0.05, self.seconds))
            json.loads((out / "evaluation.json").read_text())
            if ended.code == 0:
                break
            assert ended.code == -signal.SIGKILL, ended.said[-2000:]
            kills += 1
        self._check_same(out, self.later[name], f"{kills} kills of {name}")
        return kills

    def kill_study(self, draw: random.Random) -> int:
        """The same for `supcon reproduce` with two cells; each must end as it does without a kill."""
        whole, out, kills = self.work / "study", self.work / "killed_study", 0
        if not whole.exists():
            self.study_seconds = self._must(self._study_words(whole)).seconds
        shutil.rmtree(out, ignore_errors=True)
        while True:
            ended = self._killed(self._study_words(out), draw.uniform(0.05, 1.1 * self.study_seconds))
            if ended.code == 0:
                break
            assert ended.code == -signal.SIGKILL, ended.said[-2000:]
            kills += 1
        found, expected = (_cell_results(root / "tables") for root in (out, whole))
        assert len(expected) == 2
        assert found == expected, f"{kills} kills of a study"
        return kills

    @staticmethod
    def _study_words(out: Path) -> list[object]:
        return ["reproduce", "n-pairs", "--scale", "smoke", "--out", out / "tables", "--work", out / "work"]

    def _killed(self, words: Sequence[object], after: float) -> Ended:
        process = self.server.start(words)
        time.sleep(after)
        with suppress(ProcessLookupError):  # it has finished
            os.killpg(process, signal.SIGKILL)  # with the workers of its loaders
        return self.server.wait()

    # What is compared

    def _later_commands(self) -> dict[str, Path]:
        found = {}
        for name in ("evaluate", "report", "transfer"):
            found[name] = self.work / name
            shutil.copytree(self.whole, found[name])
            self._must(self._later_words(name, found[name]))
        return found

    def _later_words(self, name: str, out: Path) -> list[object]:
        more: dict[str, list[object]] = {"evaluate": ["--bins", 7], "report": [], "transfer": [self.data, *_TRANSFER]}
        return [name, out, *more[name]]

    def _must(self, words: Sequence[object], **request: object) -> Ended:
        ended = self.server.run(words, **request)
        assert ended.code == 0, ended.said[-2000:]
        return ended

    @staticmethod
    def _check_same(found: Path, whole: Path, case: str, *, may_lack: str = "") -> None:
        """Equal weights to the bit, equal figures, equal curves, and no file too many or too few."""
        names = [{path.relative_to(root).as_posix() for path in root.rglob("*")} for root in (found, whole)]
        different = names[0] ^ names[1]
        assert not different - {may_lack}, f"{different} after {case}"
        weights = [(root / "model.safetensors").read_bytes() for root in (found, whole)]
        assert weights[0] == weights[1], case
        figures = [json.loads((root / "evaluation.json").read_text()) for root in (found, whole)]
        for figure in figures:
            figure.pop("seconds/stage1"), figure.pop("seconds/stage2")
        assert figures[0] == figures[1], case
        curves = [read_metrics(root / "stage1" / "metrics.csv") for root in (found, whole)]
        losses = [[row["train/loss"] for row in curve.values()] for curve in curves]
        assert losses[0] == losses[1], case
        with np.load(found / "test_outputs.npz") as one, np.load(whole / "test_outputs.npz") as two:
            assert all(np.array_equal(one[name], two[name]) for name in two), case


def _cell_results(tables: Path) -> dict[str, tuple[dict[str, float], str]]:
    """Measures and rightly classified images of every finished cell, without its times."""
    return {
        key: ({name: value for name, value in cell.measures.items() if not name.startswith("seconds/")}, cell.right)
        for key, cell in read_cells([tables / "n-pairs.cells.csv"]).items()
    }


def _snapshot(folder: Path) -> dict[str, bytes | None]:
    """The files of a run; None for those whose content is not looked at."""
    files = [path for path in folder.rglob("*") if path.is_file()]
    return {str(p.relative_to(folder)): p.read_bytes() if p.suffix == ".json" else None for p in files}
