import math
import zlib

import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import chisquare, kstest

from supcon.evaluation.corruptions.draws import Draws

BITS = (1 << 64) - 1


def splitmix(value: int) -> int:
    """The finalizer on whole numbers of any size."""
    value = ((value ^ (value >> 30)) * 0xBF58476D1CE4E5B9) & BITS
    value = ((value ^ (value >> 27)) * 0x94D049BB133111EB) & BITS
    return value ^ (value >> 31)


@settings(max_examples=30, deadline=None)
@given(st.integers(-5, 2**70), st.integers(0, 2**40))
def test_words_are_splitmix_of_a_counter(seed: int, index: int) -> None:
    golden = 0x9E3779B97F4A7C15
    stream = splitmix((seed * golden + zlib.crc32(b"fog")) & BITS)
    key = splitmix((index * golden + stream) & BITS)
    expected = [splitmix((key + counter * golden) & BITS) for counter in (1, 2, 3)]
    found = Draws("fog", seed, torch.tensor([index])).words(3)[0].tolist()
    assert [word & BITS for word in found] == expected


def test_calls_go_on_where_the_last_ended() -> None:
    one, two = (Draws("fog", 0, torch.arange(3)) for _ in range(2))
    assert torch.equal(torch.cat([one.words(2), one.words(3)], dim=1), two.words(5))


def test_steps_are_even() -> None:
    steps = Draws("snow", 1, torch.arange(50)).steps(40, 33)
    assert steps.shape == (50, 40, 33)
    assert 0 <= int(steps.min()) < int(steps.max()) <= 65_535
    assert chisquare((steps.flatten() // 4096).bincount(minlength=16).numpy()).pvalue > 1e-3


def test_uniform_and_normal_have_their_distributions() -> None:
    draws = Draws("snow", 2, torch.arange(20))
    assert kstest(draws.uniform(1000).flatten().numpy(), "uniform").pvalue > 1e-3
    normal = draws.normal(1000).flatten()
    assert kstest(normal.numpy(), "norm").pvalue > 1e-3


def test_neighbouring_images_and_positions_are_independent() -> None:
    normal = Draws("snow", 3, torch.arange(2000)).normal(8)
    correlation = torch.corrcoef(torch.cat([normal[:-1].T, normal[1:].T]))
    off = correlation - torch.eye(16)
    assert off.abs().max() < 5 / math.sqrt(2000)
