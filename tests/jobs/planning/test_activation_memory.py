"""Memory counted beforehand against memory measured."""

import subprocess
import sys

import pytest

from supcon.encoder import Encoder, make_encoder
from supcon.jobs.planning.activation_memory import activation_bytes

PEAK = """
import torch
from supcon.base.memory import peak_memory, process_memory
from supcon.encoder import make_encoder
encoder = make_encoder("resnet18", channels=3, image_size=64, mean=(0.5,) * 3, std=(0.2,) * 3)
images = torch.randint(256, (96, 3, 64, 64), dtype=torch.uint8)
encoder(images[:2]).sum().backward()  # libraries, gradients
before = process_memory()
for _ in range(2):
    encoder(images).sum().backward()
print((peak_memory() - before) / len(images))
"""


def small(image_size: int = 32) -> Encoder:
    return make_encoder("small-resnet", channels=3, image_size=image_size, mean=(0.5,) * 3, std=(0.2,) * 3, width=8)


def test_memory_is_counted_as_it_is_then_taken() -> None:
    encoder = make_encoder("resnet18", channels=3, image_size=64, mean=(0.5,) * 3, std=(0.2,) * 3)
    done = subprocess.run([sys.executable, "-c", PEAK], capture_output=True, text=True, check=True)
    taken = float(done.stdout)
    assert 0.75 * taken < activation_bytes(encoder, 3, 64) < 1.6 * taken


def test_memory_grows_with_the_area_and_halves_with_the_precision() -> None:
    encoder = small()
    whole = activation_bytes(encoder, 3, 32)
    assert activation_bytes(encoder, 3, 64) == pytest.approx(4 * whole, rel=0.05)
    assert activation_bytes(encoder, 3, 32, half=True) == pytest.approx(whole / 2, rel=0.05)


def test_frozen_layers_still_need_copies_of_their_input_and_output() -> None:
    encoder = small()
    frozen = activation_bytes(encoder, 3, 32, frozen=3)
    assert 3 * 2 * 8 * 32 * 32 * 4 <= frozen < 0.6 * activation_bytes(encoder, 3, 32)
