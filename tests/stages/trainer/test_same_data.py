"""Two real processes that see different images."""

import os
import subprocess
import sys
from pathlib import Path

from references import shared_training


def test_processes_that_see_different_images_are_refused_at_once(tmp_path: Path) -> None:
    command = [sys.executable, shared_training.__file__, str(tmp_path / "run"), "2", "0", "0", "short"]
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=240)
    assert done.returncode != 0
    assert "Process 1 has 27 training images in 1 steps and process 0 has 24 in 1" in done.stderr
    assert "Traceback" not in done.stderr
