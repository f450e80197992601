"""Real processes, one of which fails while the one that started it is busy with something else."""

import subprocess
import sys

START = """
import subprocess, sys, time
from supcon.stages.trainer.child_processes import watch
children = [subprocess.Popen([sys.executable, "-c", code]) for code in sys.argv[2:]]
watch(children, float(sys.argv[1]))
codes = [child.wait() for child in children]
time.sleep(4)
print(codes)
"""
FAILS, ENDS, LASTS = "raise SystemExit(3)", "pass", "import time; time.sleep(1000)"


def start(grace: float, *children: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", START, str(grace), *children]
    return subprocess.run(command, capture_output=True, text=True, timeout=240)


def test_a_process_that_notices_nothing_is_ended_with_the_others() -> None:
    done = start(0.1, FAILS, LASTS)  # returns only when the one that lasts has ended, too: it keeps stderr open
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == "supcon: Another process of this run has stopped; see its error message above.\n"


def test_a_process_has_time_to_say_so_itself() -> None:
    done = start(1000, FAILS, ENDS)
    assert (done.returncode, done.stdout, done.stderr) == (0, "[3, 0]\n", "")


def test_children_that_end_well_end_the_watch() -> None:
    done = start(0, ENDS, ENDS)
    assert (done.returncode, done.stdout, done.stderr) == (0, "[0, 0]\n", "")
