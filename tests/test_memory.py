import subprocess
import sys

import pytest

TWICE = """
import resource
import sys

import torch

from supcon.memory import use_memory_again

if "again" in sys.argv:
    use_memory_again()


def faults():
    before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
    for _ in range(3):
        torch.ones(2**24)
    return resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before


faults()
print(faults())
"""


@pytest.mark.skipif(sys.platform != "linux", reason="glibc alone has this")
def test_freed_memory_is_used_again() -> None:
    """64 MB three times over are 49,152 pages of 4 KB, or 96 huge ones, that the system would hand out again."""
    found = subprocess.run([sys.executable, "-c", TWICE, "again"], capture_output=True, text=True, check=True)
    assert int(found.stdout) < 50
