"""A DataLoader whose worker processes leave the stop signals to the main process, which ends the work in order.

`timeout`, a closed terminal, Ctrl-C and batch systems signal the whole group of processes. If a
signal ends a worker, torch reports a failed training.
"""

import os
import signal
from multiprocessing import Event
from types import FrameType
from typing import Any, TypeVar

from torch.utils.data import DataLoader, Dataset
from torch.utils.data.dataloader import _MultiProcessingDataLoaderIter

_STOP_SIGNALS = (signal.SIGINT, signal.SIGHUP, signal.SIGTERM)
_PATIENCE = 10
"""Seconds that a worker goes on after SIGTERM; the main process ends it much earlier."""

Item = TypeVar("Item", covariant=True)


class WorkerLoader(DataLoader[Item]):
    """torch's DataLoader with workers that survive the stop signals."""

    def __init__(self, dataset: Dataset[Item], **options: Any) -> None:
        super().__init__(dataset, worker_init_fn=_ignore_stop_signals, **options)

    def _get_iterator(self) -> Any:
        if self.num_workers == 0:
            return super()._get_iterator()
        # A process starts with the mask of the one that starts it: here a signal waits until a handler is set.
        before = signal.pthread_sigmask(signal.SIG_BLOCK, _STOP_SIGNALS)
        try:
            return _Workers(self)
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)


class _Workers(_MultiProcessingDataLoaderIter):
    """torch's iterator. If starting the workers is interrupted or fails, torch's own cleanup works for this one."""

    _shutdown = True  # before there are workers

    def __init__(self, loader: DataLoader[Any]) -> None:
        self._workers_done_event = Event()
        self._workers: list[Any] = []
        self._index_queues: list[Any] = []
        self._workers_status = [True] * loader.num_workers
        super().__init__(loader)


def _ignore_stop_signals(worker: int) -> None:
    """Called by torch in a new worker."""
    del worker
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    # SIGTERM is also how the main process ends a worker that does not end by itself: it has its effect in the end.
    signal.signal(signal.SIGALRM, _end)
    signal.signal(signal.SIGTERM, _end_later)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, _STOP_SIGNALS)


def _end_later(number: int, frame: FrameType | None) -> None:
    del number, frame
    signal.alarm(_PATIENCE)


def _end(number: int, frame: FrameType | None) -> None:
    del number, frame
    os._exit(0)
