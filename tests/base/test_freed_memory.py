import ctypes
import subprocess
import sys

import pytest

from supcon.base.freed_memory import return_freed_memory
from supcon.base.memory import process_memory

KEPT = """
import sys
from pathlib import Path

import torch

from supcon.base.freed_memory import use_memory_again

if "again" in sys.argv:
    use_memory_again()


def heap():
    ends = next(line for line in Path("/proc/self/maps").read_text().splitlines() if "[heap]" in line).split()[0]
    first, last = (int(end, 16) for end in ends.split("-"))
    return last - first


before = heap()
torch.ones(2**24)
print(heap() - before)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="glibc alone has this")
@pytest.mark.parametrize(("words", "kept"), [([], False), (["again"], True)])
def test_freed_memory_stays_with_the_process(words: list[str], kept: bool) -> None:
    found = subprocess.run([sys.executable, "-c", KEPT, *words], capture_output=True, text=True, check=True)
    assert (int(found.stdout) >= 2**25) == kept  # of 64 MB; some fits into what is there


@pytest.mark.skipif(not hasattr(ctypes.CDLL(None), "malloc_trim"), reason="the C library has no malloc_trim")
def test_freed_memory_is_returned_to_the_system() -> None:
    blocks = [bytearray(100_000) for _ in range(2000)]  # small enough for the heap instead of pages of their own
    last = blocks.pop()  # at the top of the heap, which therefore cannot shrink by itself
    blocks.clear()
    before = process_memory()
    return_freed_memory()
    assert process_memory() < before - 100e6
    del last
