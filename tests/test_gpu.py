"""Runs the tests of tests/gpu in a process of its own: torch counts its devices once, at the first backward pass."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from references.emulated_gpu import needs_python_devices

HERE = Path(__file__).parent


@needs_python_devices
@pytest.mark.timeout(1200)
def test_everything_runs_on_a_gpu() -> None:
    command = [sys.executable, "-m", "pytest", str(HERE / "gpu"), "-q", "-p", "no:cacheprovider", "--no-header"]
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_XDIST")}
    environment |= {"SUPCON_GPU_TESTS": "1"}
    done = subprocess.run(command, cwd=HERE.parent, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout[-8000:] + done.stderr[-2000:]
