"""Conversion between bytes and floats."""

import torch

from supcon.views.kernels.pixels import to_bytes, to_floats, truncate_to_bytes

ALL = torch.arange(256).to(torch.uint8)


def test_every_level_survives_the_round_trip() -> None:
    floats = to_floats(ALL)
    assert floats.dtype == torch.float32
    assert torch.allclose(floats, torch.arange(256) / 255)
    assert torch.equal(to_bytes(floats), ALL)


def test_floats_are_rounded_to_the_nearest_level() -> None:
    between = torch.tensor([0.0, 0.49, 0.51, 254.51, 255.0]) / 255
    assert to_bytes(between).tolist() == [0, 0, 1, 255, 255]
    assert truncate_to_bytes(torch.tensor([0.99, 1.0, 255.99])).tolist() == [0, 1, 255]


def test_what_is_in_the_right_form_is_returned_unchanged() -> None:
    floats = torch.rand(4)
    assert to_bytes(ALL) is ALL
    assert to_floats(floats) is floats
