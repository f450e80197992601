import subprocess
import sys
from pathlib import Path

import pytest

from supcon.base.memory import available_memory, is_out_of_memory


def test_available_memory_lies_within_the_machine() -> None:
    lines = Path("/proc/meminfo").read_text().splitlines()
    total = next(int(line.split()[1]) * 1024 for line in lines if line.startswith("MemTotal:"))
    assert 0 < available_memory() <= total


def test_systems_without_meminfo_count_half_of_their_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Path, "exists", lambda _: False)
    monkeypatch.setattr("os.sysconf", {"SC_PHYS_PAGES": 1000, "SC_PAGE_SIZE": 4096}.__getitem__)
    assert available_memory() == 1000 * 4096 // 2


def test_what_is_taken_is_counted() -> None:
    """In a process of its own, which has no freed memory to use again."""
    program = """
import numpy as np
from supcon.base.memory import peak_memory, process_memory
before = process_memory()
taken = np.ones(50_000_000, dtype=np.uint8)
print(process_memory() - before, peak_memory() - before)
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    grown, peak = map(int, done.stdout.split())
    assert 45_000_000 < grown < 100_000_000
    assert 45_000_000 < peak < 200_000_000, "the memory of this process is not counted"


@pytest.mark.parametrize(
    ("error", "expected"),
    [
        (MemoryError(), True),
        (RuntimeError("could not create a primitive"), True),  # oneDNN
        (RuntimeError("[enforce fail at alloc_cpu.cpp:124] DefaultCPUAllocator: can't allocate memory"), True),
        (OSError(12, "Cannot allocate memory"), True),
        (ImportError("libtorch_cpu.so: failed to map segment from shared object"), True),
        (ImportError("libtorch_cpu.so: failed to map segment from shared object: Operation not permitted"), False),
        (RuntimeError("mat1 and mat2 shapes cannot be multiplied"), False),
    ],
)
def test_a_failed_allocation_is_known_by_its_message(error: Exception, expected: bool) -> None:
    assert is_out_of_memory(error) == expected
