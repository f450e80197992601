"""A server process on a free port of the loopback address, on the digits."""

import io
import os
import re
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest
from PIL import Image

from references.untrained_run import untrained_digits

pytest.importorskip("fastapi", reason="fastapi is not installed")
pytest.importorskip("uvicorn", reason="uvicorn is not installed")


class ServerProcess(NamedTuple):
    process: "subprocess.Popen[str]"
    port: int

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def end(self) -> tuple[int, str]:
        """Sends SIGTERM; the exit code and what was printed."""
        self.process.send_signal(signal.SIGTERM)
        out, _ = self.process.communicate(timeout=200)
        return self.process.returncode, out


StartServer = Callable[..., ServerProcess]


@pytest.fixture(scope="session")
def digits(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of the digits that was not trained, which takes no time."""
    return untrained_digits(tmp_path_factory.mktemp("served") / "digits")


@pytest.fixture(scope="module")
def start_server(digits: Path) -> Iterator[StartServer]:
    """Starts `supcon serve` with further options, on the run of the digits or on another."""
    started: list[ServerProcess] = []

    def start(*options: str, run: Path = digits) -> ServerProcess:
        command = [sys.executable, "-m", "supcon", "serve", str(run), "--port", "0", *options]
        environment = os.environ | {"OMP_NUM_THREADS": "1", "PYTHONWARNINGS": "default"}
        process = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=environment
        )
        assert process.stdout is not None
        lines = []
        for line in process.stdout:
            lines.append(line)
            if found := re.search(r"at http://127\.0\.0\.1:(\d+)", line):
                started.append(ServerProcess(process, int(found[1])))
                return started[-1]
        raise AssertionError("".join(lines))

    yield start
    for server in started:
        if server.process.poll() is None:
            server.process.kill()
            server.process.wait()
        if server.process.stdout is not None:
            server.process.stdout.close()


def png(seed: int = 0, side: int = 8) -> bytes:
    """A grey picture."""
    pixels = np.random.default_rng(seed).integers(0, 256, (side, side), dtype=np.uint8)
    file = io.BytesIO()
    Image.fromarray(pixels).save(file, "PNG")
    return file.getvalue()


@pytest.fixture(scope="session")
def make_png() -> Callable[..., bytes]:
    return png
