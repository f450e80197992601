"""Collects images that arrive together into one batch for the model."""

import asyncio
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Generic, TypeVar

Item = TypeVar("Item")
Result = TypeVar("Result")


class Batcher(Generic[Item, Result]):
    """Runs `compute` on batches of the items that arrived while the last batch was computed, at most `largest`.

    It does not wait for a batch to fill: a single item is computed at once, and batches grow with the load.
    `compute` runs in a thread of its own, one batch at a time.
    """

    def __init__(self, compute: Callable[[Sequence[Item]], Sequence[Result]], largest: int) -> None:
        self.compute, self.largest = compute, largest
        self.waiting: deque[tuple[Item, asyncio.Future[Result]]] = deque()
        self.batches = self.items = 0
        self._arrived = asyncio.Event()
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="model")
        self._task: asyncio.Task[None] | None = None

    async def __aenter__(self) -> "Batcher[Item, Result]":
        self._task = asyncio.create_task(self._work())
        return self

    async def __aexit__(self, *_: object) -> None:
        """Stops after all waiting items are computed."""
        task, self._task = self._task, None
        self._arrived.set()
        if task is not None:
            await task
        self._thread.shutdown()

    async def __call__(self, item: Item) -> Result:
        """The result of one item."""
        future: asyncio.Future[Result] = asyncio.get_running_loop().create_future()
        self.waiting.append((item, future))
        self._arrived.set()
        return await future

    async def _work(self) -> None:
        while self._task is not None or self.waiting:
            await self._arrived.wait()
            # A caller that stopped waiting has cancelled its future; the item is not computed.
            batch = [entry for entry in self._next() if not entry[1].done()]
            if not self.waiting and self._task is not None:
                self._arrived.clear()
            if batch:
                await self._compute(batch)

    def _next(self) -> list[tuple[Item, asyncio.Future[Result]]]:
        return [self.waiting.popleft() for _ in range(min(self.largest, len(self.waiting)))]

    async def _compute(self, batch: Sequence[tuple[Item, asyncio.Future[Result]]]) -> None:
        items = [item for item, _ in batch]
        self.batches, self.items = self.batches + 1, self.items + len(batch)
        try:
            results = await asyncio.get_running_loop().run_in_executor(self._thread, self.compute, items)
        except Exception as error:  # raised in the callers that wait for the results
            for _, future in batch:
                if not future.done():
                    future.set_exception(error)
            return
        for (_, future), result in zip(batch, results, strict=True):
            if not future.done():
                future.set_result(result)
