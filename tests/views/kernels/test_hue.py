"""Hue rotation against Python's colorsys."""

import colorsys

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from supcon.views.kernels.hue import turn_hue

unit = st.floats(0, 1, width=32)


@given(st.lists(st.tuples(unit, unit, unit), min_size=1, max_size=8), st.floats(-0.5, 0.5, width=32))
def test_hue_turns_as_the_definition_says(colours: list[tuple[float, float, float]], turn: float) -> None:
    pixels = torch.tensor(colours, dtype=torch.float64).t().unsqueeze(0).contiguous()
    turned = turn_hue(pixels, torch.tensor([turn], dtype=torch.float64))[0].t()
    for colour, got in zip(colours, turned.tolist(), strict=True):
        hue, saturation, value = colorsys.rgb_to_hsv(*colour)
        expected = colorsys.hsv_to_rgb((hue + turn) % 1, saturation, value)
        assert got == pytest.approx(expected, abs=1e-6)
