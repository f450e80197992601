"""Workers that get the stop signals of their group, and loaders whose workers cannot all be started."""

import multiprocessing
import os
import signal
import sys
import time
from collections.abc import Iterator
from typing import Any

import pytest
from torch.utils.data import Dataset

from supcon.data.worker_loader import WorkerLoader


class Numbers(Dataset[tuple[int, int]]):
    """Every item is its number, and the process that gave it."""

    def __len__(self) -> int:
        return 60

    def __getitem__(self, index: int) -> tuple[int, int]:
        return index, os.getpid()


def loader() -> WorkerLoader[Any]:
    return WorkerLoader(Numbers(), batch_size=None, num_workers=2)


def workers(iterator: Iterator[Any]) -> list[int]:
    del iterator
    return [child.pid or 0 for child in multiprocessing.active_children()]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGHUP, signal.SIGTERM])
def test_a_stop_signal_does_not_end_a_worker(number: int, capfd: pytest.CaptureFixture[str]) -> None:
    iterator = iter(loader())
    for worker in workers(iterator):  # at once: torch may not have called the worker's function yet
        os.kill(worker, number)
    found = [next(iterator) for _ in range(40)]
    for _, worker in found[:2]:
        os.kill(worker, number)
    found += list(iterator)
    assert [index for index, _ in found] == list(range(60))
    assert capfd.readouterr().err == ""


def test_a_worker_that_is_told_to_end_does_so_after_a_while(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("supcon.data.worker_loader._PATIENCE", 1)
    iterator = iter(loader())
    children = multiprocessing.active_children()
    assert len(children) == 2
    for child in children:
        child.terminate()
        child.join(60)
        assert child.exitcode == 0
    del iterator


def test_the_mask_of_this_process_stays(capfd: pytest.CaptureFixture[str]) -> None:
    before = signal.pthread_sigmask(signal.SIG_BLOCK, [])
    assert len(list(loader())) == 60
    assert signal.pthread_sigmask(signal.SIG_BLOCK, []) == before


@pytest.mark.parametrize("error", [OSError(12, "Cannot allocate memory"), KeyboardInterrupt()])
@pytest.mark.parametrize("at", ["first", "second", "end"])
def test_workers_that_cannot_all_be_started_are_ended_quietly(
    monkeypatch: pytest.MonkeyPatch, error: BaseException, at: str
) -> None:
    unraisable: list[Any] = []
    monkeypatch.setattr(sys, "unraisablehook", unraisable.append)
    start = multiprocessing.Process.start
    started: list[Any] = []

    def failing(self: Any) -> None:
        if len(started) == ["first", "second", "end"].index(at):
            raise error
        started.append(self)
        start(self)

    monkeypatch.setattr(multiprocessing.Process, "start", failing)
    if at == "end":
        monkeypatch.setattr("torch.utils.data.dataloader._BaseDataLoaderIter._reset", lambda *_: fail(error))
    # torch's own cleanup waits so long, five seconds, for a worker that was not told to end.
    monkeypatch.setattr("torch.utils.data._utils.MP_STATUS_CHECK_INTERVAL", 200.0)
    begin = time.monotonic()
    with pytest.raises(type(error)) as caught:
        iter(loader())
    del caught
    error.__traceback__ = None
    assert not unraisable
    assert not multiprocessing.active_children()
    assert time.monotonic() - begin < 100


def fail(error: BaseException) -> None:
    raise error
