import os
import subprocess
import sys

import pytest

from supcon.base.cores import usable_cores, use_no_more_threads_than_cores


@pytest.mark.skipif(not hasattr(os, "sched_setaffinity"), reason="this system has no affinity of processes")
def test_the_cores_are_those_that_the_process_may_use() -> None:
    program = (
        "import os; from supcon.base.cores import usable_cores; first = min(os.sched_getaffinity(0)); "
        "os.sched_setaffinity(0, {first}); print(usable_cores())"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "1\n"


def test_torch_gets_as_many_threads_as_a_quota_allows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OMP_NUM_THREADS", "")  # is put back afterwards
    del os.environ["OMP_NUM_THREADS"]
    monkeypatch.setattr("joblib.cpu_count", lambda: 3)
    monkeypatch.setattr("os.cpu_count", lambda: 64)
    use_no_more_threads_than_cores()
    assert (usable_cores(), os.environ["OMP_NUM_THREADS"]) == (3, "3")


@pytest.mark.parametrize(("quota", "given", "expected"), [(64, None, None), (3, "2", "2")])
def test_without_a_quota_or_with_a_given_number_nothing_is_set(
    monkeypatch: pytest.MonkeyPatch, quota: int, given: str | None, expected: str | None
) -> None:
    monkeypatch.setenv("OMP_NUM_THREADS", "")  # is put back afterwards
    del os.environ["OMP_NUM_THREADS"]
    if given:
        monkeypatch.setenv("OMP_NUM_THREADS", given)
    monkeypatch.setattr("joblib.cpu_count", lambda: quota)
    monkeypatch.setattr("os.cpu_count", lambda: 64)
    use_no_more_threads_than_cores()
    assert os.environ.get("OMP_NUM_THREADS") == expected
