"""A process with a process group ends with its code, after what is registered for its exit; others go on."""

import subprocess
import sys
from pathlib import Path

from supcon.base.end_of_process import end_process_of_group

WITH_A_GROUP = """
import atexit, sys
import torch.distributed as dist
from supcon.base.end_of_process import end_process_of_group

dist.init_process_group("gloo", "file://" + sys.argv[1], rank=0, world_size=1)
atexit.register(print, "registered for the exit")
print("no line break", end=" ")
end_process_of_group(3)
print("not reached")
"""


def test_a_process_of_a_group_ends_after_its_exit_functions(tmp_path: Path) -> None:
    command = [sys.executable, "-c", WITH_A_GROUP, str(tmp_path / "rendezvous")]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=240, check=False)
    assert (ended.returncode, ended.stdout) == (3, "no line break registered for the exit\n")


def test_a_process_without_a_group_goes_on() -> None:
    assert end_process_of_group(3) is None  # type: ignore[func-returns-value]
