"""A worker is alive as long as its process holds a lock."""

import subprocess
import sys
from pathlib import Path

from supcon.jobs.reproduction.worker_lease import WorkerLease, is_alive

HOLD = """
import sys
from pathlib import Path
from supcon.jobs.reproduction.worker_lease import WorkerLease
lease = WorkerLease(Path(sys.argv[1]))
print(lease.name, flush=True)
sys.stdin.read()
"""


def test_a_killed_worker_is_dead(tmp_path: Path) -> None:
    process = subprocess.Popen(
        [sys.executable, "-c", HOLD, str(tmp_path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert process.stdin is not None
    assert process.stdout is not None
    name = process.stdout.readline().strip()
    assert is_alive(tmp_path, name)
    process.kill()
    process.communicate()
    assert not is_alive(tmp_path, name)


def test_a_closed_lease_and_an_unknown_worker_are_dead(tmp_path: Path) -> None:
    lease = WorkerLease(tmp_path / "workers")
    other = WorkerLease(tmp_path / "workers")
    assert lease.name != other.name
    assert is_alive(lease.folder, lease.name)
    lease.close()
    assert not is_alive(lease.folder, lease.name)
    assert is_alive(lease.folder, other.name)
    assert not is_alive(lease.folder, "nobody")
    other.close()
