import asyncio
import threading
from collections.abc import Sequence

import pytest

from supcon.serving.server.batcher import Batcher


def squares(items: Sequence[int]) -> list[int]:
    return [item**2 for item in items]


class HeldSquares:
    """Squares whose first batch is computed until `go` is set."""

    def __init__(self) -> None:
        self.begun, self.go = threading.Event(), threading.Event()
        self.seen: list[int] = []

    def __call__(self, items: Sequence[int]) -> list[int]:
        self.seen.extend(items)
        self.begun.set()
        assert self.go.wait(60)
        return squares(items)

    async def begins(self) -> None:
        assert await asyncio.to_thread(self.begun.wait, 60)


def test_what_arrives_together_is_one_batch() -> None:
    held = HeldSquares()

    async def run() -> tuple[list[int], int]:
        async with Batcher(held, 8) as batcher:
            first = asyncio.create_task(batcher(100))
            await held.begins()  # alone
            rest = [asyncio.create_task(batcher(item)) for item in range(20)]
            while len(batcher.waiting) < len(rest):
                await asyncio.sleep(0)
            held.go.set()
            return [await first, *(await asyncio.gather(*rest))], batcher.batches

    results, batches = asyncio.run(run())
    assert results == [10_000, *(item**2 for item in range(20))]
    assert batches == 1 + 3


def test_ending_computes_what_waits() -> None:
    async def run() -> list[int]:
        async with Batcher(squares, 2) as batcher:
            tasks = [asyncio.create_task(batcher(item)) for item in range(7)]
            await asyncio.sleep(0)
        return await asyncio.gather(*tasks)

    assert asyncio.run(run()) == [item**2 for item in range(7)]


def test_whoever_gives_up_is_not_computed() -> None:
    held = HeldSquares()

    async def run() -> int:
        async with Batcher(held, 1) as batcher:
            first = asyncio.create_task(batcher(1))
            await held.begins()
            with pytest.raises(TimeoutError):
                await asyncio.wait_for(batcher(2), 0.001)
            held.go.set()
            await first
            return await batcher(3)

    assert asyncio.run(run()) == 9
    assert held.seen == [1, 3]


def test_an_error_reaches_everybody_in_the_batch_and_nobody_else() -> None:
    def picky(items: Sequence[int]) -> list[int]:
        if 0 in items:
            raise ZeroDivisionError
        return list(items)

    async def run() -> tuple[list[object], int]:
        async with Batcher(picky, 4) as batcher:
            found = await asyncio.gather(batcher(0), batcher(1), return_exceptions=True)
            return list(found), await batcher(5)

    found, later = asyncio.run(run())
    assert all(isinstance(error, ZeroDivisionError) for error in found)
    assert later == 5
