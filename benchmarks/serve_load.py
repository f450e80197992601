"""How fast `supcon serve` answers: requests a second and latencies over HTTP beside the model alone.

The server is a process of its own on the loopback address; the clients are coroutines in this process, each with one
connection on which it sends a request, waits for the answer, and sends the next. Server and clients share the machine's
cores, so the clients cost the server some of its speed. A request is one image, a JPEG of the encoder's size. The model
alone gets decoded images: batches of 64 for the rate, one image for the latency. The weights are random: speed does not
depend on them.

    python benchmarks/serve_load.py [--quick] [--json F]
"""

import asyncio
import io
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import torch
from _table import Figure, benchmark
from PIL import Image
from torch import nn

from supcon.base.atomic_files import write_json, write_yaml
from supcon.runs import create_run
from supcon.serving import Model, ModelCard, save_model

CLIENTS = 200
ENCODERS: dict[str, dict[str, Any]] = {
    "small-resnet, 32 px": {"size": 32, "encoder": {"name": "small-resnet", "width": 32}},
    "resnet18, 128 px": {"size": 128, "encoder": {"name": "resnet18", "stem": "imagenet"}},
}


def make_run(folder: Path, size: int, encoder: dict[str, Any]) -> Model:
    """A run with random weights."""
    card = ModelCard(
        recipe="folder",
        method="supcon",
        data="noise",
        class_names=[str(number) for number in range(10)],
        channels=3,
        image_size=size,
        stored_size=size,
        mean=(0.5,) * 3,
        std=(0.25,) * 3,
        counts={"train": 0},
        encoder=encoder,
    )
    made = card.make_encoder()
    model, run = Model(made, nn.Linear(made.width, 10), card), create_run(folder)
    save_model(run, model)
    write_json(run.evaluation_file, {})
    write_yaml(run.recipe_file, {})
    return model


def start(run: Path) -> tuple["subprocess.Popen[str]", int]:
    """`supcon serve`, and its port."""
    command = [sys.executable, "-m", "supcon", "serve", str(run), "--port", "0", "--no-search"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=os.environ)
    assert process.stdout is not None
    for line in process.stdout:
        if found := re.search(r":(\d+)$", line.strip()):
            return process, int(found[1])
    sys.exit("supcon serve did not start.")


def request(size: int) -> bytes:
    """One image as a whole HTTP request on a connection that stays open."""
    file = io.BytesIO()
    pixels = np.random.default_rng(0).integers(0, 256, (size // 4, size // 4, 3), dtype=np.uint8)
    Image.fromarray(pixels).resize((size, size)).save(file, "JPEG", quality=90)
    body = b'--b\r\nContent-Disposition: form-data; name="images"; filename="a.jpg"\r\n\r\n' + file.getvalue()
    body += b"\r\n--b--\r\n"
    head = "POST /predict HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: multipart/form-data; boundary=b\r\n"
    return f"{head}Content-Length: {len(body)}\r\n\r\n".encode() + body


async def client(port: int, content: bytes, until: float, seconds: list[float]) -> None:
    """Asks until the time is up; the seconds of every answer."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    while time.perf_counter() < until:
        started = time.perf_counter()
        writer.write(content)
        head = await reader.readuntil(b"\r\n\r\n")
        length = re.search(rb"content-length: (\d+)", head)
        if not head.startswith(b"HTTP/1.1 200") or length is None:
            sys.exit(f"The server answered {head[:200]!r}.")
        await reader.readexactly(int(length[1]))
        seconds.append(time.perf_counter() - started)
    writer.close()


def load(port: int, content: bytes, clients: int, duration: float) -> tuple[float, list[float]]:
    """Requests a second, and the seconds that each took."""
    seconds: list[float] = []

    async def run() -> float:
        started = time.perf_counter()
        await asyncio.gather(*(client(port, content, started + duration, seconds) for _ in range(clients)))
        return time.perf_counter() - started

    elapsed = asyncio.run(run())
    return len(seconds) / elapsed, seconds


def best(call: Callable[[], object], rounds: int) -> float:
    """Seconds of the fastest of several calls."""
    times = []
    for _ in range(rounds):
        started = time.perf_counter()
        call()
        times.append(time.perf_counter() - started)
    return min(times)


def measure_encoder(name: str, size: int, encoder: dict[str, Any], quick: bool) -> list[Figure]:
    """The figures of one encoder."""
    duration = 2.0 if quick else 10.0
    with tempfile.TemporaryDirectory() as folder:
        run = Path(folder) / "run"
        model = make_run(run, size, encoder)
        images = torch.randint(0, 256, (64, 3, size, size), dtype=torch.uint8)
        rate = 64 / best(lambda: model.classify(model.encode(images)), 5 if quick else 20)
        alone = 1000 * best(lambda: model.classify(model.encode(images[:1])), 20 if quick else 100)
        process, port = start(run)
        try:
            content = request(size)
            load(port, content, 8, 1.0)  # the first requests start threads
            many, under_load = load(port, content, CLIENTS, duration)
            _, single = load(port, content, 1, duration / 2)
        finally:
            process.send_signal(signal.SIGTERM)
            process.wait()
    middle, last = (1000 * float(np.percentile(under_load, share)) for share in (50, 99))
    one, one_last = (1000 * float(np.percentile(single, share)) for share in (50, 99))
    peer = {"peer": "model alone, batches of 64", "peer_value": rate, "smaller_is_better": False}
    one_peer = {"peer": "model alone, one image", "peer_value": alone}
    return [
        Figure(name=f"{name}: {CLIENTS} clients", value=many, unit="requests/s", **peer),  # type: ignore[arg-type]
        Figure(name=f"{name}: {CLIENTS} clients, median", value=middle, unit="ms"),
        Figure(name=f"{name}: {CLIENTS} clients, 99th percentile", value=last, unit="ms"),
        Figure(name=f"{name}: one client, median", value=one, unit="ms", **one_peer),  # type: ignore[arg-type]
        Figure(name=f"{name}: one client, 99th percentile", value=one_last, unit="ms", **one_peer),  # type: ignore[arg-type]
    ]


def measure(quick: bool) -> list[Figure]:
    """All encoders."""
    return [figure for name, values in ENCODERS.items() for figure in measure_encoder(name, **values, quick=quick)]


if __name__ == "__main__":
    benchmark(__doc__ or "", measure)
