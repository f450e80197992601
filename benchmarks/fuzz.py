"""Mutated files against every reader: each must give a value or one sentence, quickly, and run no code.

Images, manifests, safetensors, checkpoints, npy and npz files, tar shards, YAML and JSON files and a run's whole folder
are changed at random (bytes flipped, cut, repeated, joined with other files, numbers made huge) and read as a command
reads them. A finding is an exception that is not a RequestError or a WorkError, a case that takes more than ten seconds
of the processor or waits for a minute, or a file that appears. Findings are printed, and the file is kept in the folder
that is named.

    python benchmarks/fuzz.py [--quick | --full] [--json F]

It takes two minutes, `--quick` ten seconds, `--full` half an hour.
"""

import io
import json
import random
import shutil
import sys
import tarfile
import tempfile
import time
import traceback
import warnings
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import numpy as np
import torch
from _table import Figure, benchmark
from PIL import Image

from supcon.base.errors import RequestError, WorkError
from supcon.base.metrics_table import metrics_text, read_metrics
from supcon.base.stored_values import read_json, read_yaml
from supcon.data import DataConfig, Layout, decode_all, list_data
from supcon.encoder.weights import read_weights
from supcon.encoder.weights_file import weights_bytes
from supcon.jobs import read_results, train
from supcon.recipes import find_recipe, recipe_from_values, recipe_to_values
from supcon.runs import Run
from supcon.serving import load
from supcon.stages.trainer.checkpoints import last_checkpoint

SLOW, WAITED = 10.0, 60.0
"""Seconds of the processor, so that other work on the machine does not count, and seconds in all."""
LAYOUT = Layout(image_size=8, stored_size=8, channels=1)
FULL = "--full" in sys.argv
Target = tuple[bytes, Callable[[Path], object]]


def mutated(content: bytes, draw: random.Random, others: list[bytes]) -> bytes:
    """The content with one to four changes."""
    data = bytearray(content)
    for _ in range(draw.randint(1, 4)):
        place = draw.randrange(len(data) + 1)
        kind = draw.randrange(8)
        if kind == 0 and data:
            data[place % len(data)] ^= 1 << draw.randrange(8)
        elif kind == 1:
            del data[place:]
        elif kind == 2:
            data[place:place] = draw.randbytes(draw.randint(1, 40))
        elif kind == 3:
            data[place : place + draw.randint(1, 40)] = b""
        elif kind == 4:
            data[place:place] = data[place : place + draw.randint(1, 200)] * draw.randint(1, 20)
        elif kind == 5:
            data[place : place + 8] = draw.choice([b"\xff" * 8, bytes(8), b"\x7f" + b"\xff" * 7, b"99999999"])
        elif kind == 6:
            data[place:place] = draw.choice(
                [b"-1", b"1e999", b"NaN", b"null", b"[[[[", b"*a &a", b"\0", b"../..", b","]
            )
        else:
            other = draw.choice(others)
            data[place:] = other[draw.randrange(len(other) + 1) :]
    return bytes(data)


def image(kind: str) -> bytes:
    content = io.BytesIO()
    pixels = np.random.default_rng(0).integers(0, 256, (12, 10, 3), np.uint8)
    Image.fromarray(pixels).save(content, kind)
    return content.getvalue()


def shard() -> bytes:
    content = io.BytesIO()
    with tarfile.open(fileobj=content, mode="w") as tar:
        for number in range(6):
            for suffix, data in (("png", image("PNG")), ("cls", b"%d" % (number % 2)), ("json", b'{"label": 1}')):
                member = tarfile.TarInfo(f"{number}.{suffix}")
                member.size = len(data)
                tar.addfile(member, io.BytesIO(data))
    return content.getvalue()


def stored(write: Callable[[io.BytesIO], object]) -> bytes:
    content = io.BytesIO()
    write(content)
    return content.getvalue()


def targets(work: Path, run: Path) -> dict[str, Target]:
    """What is mutated, and who reads it, by the name of the file."""
    tensors = {"encoder.weight": torch.arange(60.0), "classifier.bias": torch.zeros(2)}
    recipe = json.dumps(recipe_to_values(find_recipe("digits"))).encode()
    checkpoint = {"epoch": 1, "state_dict": tensors, "loops": {}}
    readers: dict[str, Target] = {
        f"image.{kind.lower()}": (image(kind), lambda path: decode_all([path], LAYOUT))
        for kind in ("PNG", "JPEG", "GIF", "BMP", "WEBP", "TIFF", "PPM")
    }
    rows = "".join(
        f"images/{name}.png,{'ab'[n % 2]},{('train', 'val', 'test')[n % 3]}\n" for n, name in enumerate("abcdefghi")
    )
    readers |= {
        "table.csv": (f"path,label,split\n{rows}".encode(), lambda path: list_data(DataConfig(spec=str(path)))),
        "shard.tar": (shard(), lambda path: list_data(DataConfig(spec=f"webdataset:{path}"))),
        "weights.safetensors": (weights_bytes(tensors), read_weights),
        "weights.pth": (stored(lambda file: torch.save(tensors, file)), read_weights),
        "checkpoints/last.ckpt": (
            stored(lambda file: torch.save(checkpoint, file)),
            lambda path: last_checkpoint(path.parents[1]),
        ),
        "metrics.csv": (metrics_text({1: {"loss": 1.0}, 2: {"loss": 0.5, "lr": 0.1}}).encode(), read_metrics),
        "recipe.yaml": (recipe, lambda path: recipe_from_values(read_yaml(path))),
        "values.json": ((run / "evaluation.json").read_bytes(), read_json),
    }
    for name in (
        "test_outputs.npz",
        "model.json",
        "evaluation.json",
        "environment.json",
        "recipe.yaml",
        "stage1/metrics.csv",
    ):
        readers[f"run/{name}"] = ((run / name).read_bytes(), lambda path: read_results(Run(work / "run")))
    for name in ("model.safetensors", "model.json"):
        readers[f"run/{name}".replace("model.json", "./model.json")] = (
            (run / name).read_bytes(),
            lambda path: load(work / "run"),
        )
    return readers


def attempt(read: Callable[[Path], object], path: Path) -> str:
    """How it ended: `read`, `refused`, or what a finding is called."""
    start, computed = time.monotonic(), time.process_time()
    try:
        with warnings.catch_warnings(action="ignore"):
            read(path)
        outcome = "read"
    except (RequestError, WorkError) as error:
        outcome = "refused" if "\n" not in str(error) else "a message of several lines"
    except Exception as error:
        outcome = "".join(traceback.format_exception(error)[-3:])
    waited, computed = time.monotonic() - start, time.process_time() - computed
    return outcome if waited < WAITED and computed < SLOW else f"took {waited:.0f} s, {computed:.0f} of the processor"


def measure(quick: bool) -> list[Figure]:
    """Counts, and findings."""
    seconds = 10 if quick else 1800 if FULL else 120
    draw, counts, findings = random.Random(time.time_ns()), Counter[str](), 0
    kept = Path(tempfile.mkdtemp(prefix="supcon-fuzz-"))
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder)
        made = np.random.default_rng(0).integers(0, 256, (40, 8, 8), np.uint8), np.arange(40) % 2
        small = {"encoder.width": 4, "stage2.epochs": 1}
        run = train(made, recipe="digits", out=work / "run", epochs=1, batch_size=8, device="cpu", options=small).path
        every = targets(work, run)
        contents = [content for content, _ in every.values()]
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            name = draw.choice(list(every))
            content, read = every[name]
            path = work / name
            path.parent.mkdir(exist_ok=True)
            path.write_bytes(mutated(content, draw, contents))
            there = set(work.rglob("*"))
            outcome = attempt(read, path)
            if appeared := sorted(set(work.rglob("*")) - there):
                outcome = f"{appeared} appeared"
            if outcome in ("read", "refused"):
                counts[outcome] += 1
            else:
                findings += 1
                shutil.copy(path, kept / f"{findings}-{path.name}")
                print(f"finding {findings}, {name}: {outcome}", file=sys.stderr, flush=True)
            path.write_bytes(content)
    if not findings:
        kept.rmdir()
    return [
        *(Figure(name=f"mutated files, {what}", value=n, unit="files") for what, n in counts.items()),
        Figure(name="findings", value=findings, unit="files"),
        Figure(name="kinds of files", value=len(every), unit="kinds"),
        Figure(name="time", value=seconds, unit="s"),
    ]


if __name__ == "__main__":
    sys.argv = [word for word in sys.argv if word != "--full"]
    torch.set_num_threads(1)
    benchmark(__doc__ or "", measure)
