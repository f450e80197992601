from pathlib import Path

import numpy as np
import pytest

from supcon.base.memory import available_memory, peak_memory, process_memory


def test_available_memory_lies_within_the_machine() -> None:
    lines = Path("/proc/meminfo").read_text().splitlines()
    total = next(int(line.split()[1]) * 1024 for line in lines if line.startswith("MemTotal:"))
    assert 0 < available_memory() <= total


def test_systems_without_meminfo_count_half_of_their_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Path, "exists", lambda _: False)
    monkeypatch.setattr("os.sysconf", {"SC_PHYS_PAGES": 1000, "SC_PAGE_SIZE": 4096}.__getitem__)
    assert available_memory() == 1000 * 4096 // 2


def test_what_is_taken_is_counted() -> None:
    before = process_memory()
    taken = np.ones(50_000_000, dtype=np.uint8)
    assert process_memory() - before > 0.9 * len(taken)
    assert peak_memory() >= process_memory() * 0.9
