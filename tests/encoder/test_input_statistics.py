from pathlib import Path

import pytest
import torch
from safetensors.torch import save_file

from supcon.encoder.encoder import make_encoder
from supcon.encoder.input_statistics import pretrained_statistics


def test_packaged_weights_want_pixels_less_127_over_128() -> None:
    found = pretrained_statistics("timm:tf_efficientnet_lite0", True, 3)
    assert found is not None
    mean, std = found
    pixel = 200
    assert (pixel / 255 - mean[0]) / std[0] == pytest.approx((pixel - 127) / 128)
    assert len(mean) == len(std) == 3


def test_timms_weights_want_imagenets_mean_and_deviation() -> None:
    assert pretrained_statistics("resnet18", True, 3) == ((0.485, 0.456, 0.406), (0.229, 0.224, 0.225))


def test_grey_images_get_the_mean_over_colours() -> None:
    found = pretrained_statistics("resnet18", True, 1)
    assert found is not None
    assert found[0] == pytest.approx(((0.485 + 0.456 + 0.406) / 3,))


def test_a_run_brings_its_own_and_another_file_none(tmp_path: Path) -> None:
    encoder = make_encoder("small-resnet", channels=3, image_size=8, mean=(0.1, 0.2, 0.3), std=(0.4, 0.5, 0.6), width=8)
    of_a_run, bare = tmp_path / "run.safetensors", tmp_path / "bare.safetensors"
    save_file({f"encoder.{name}": value.contiguous() for name, value in encoder.state_dict().items()}, of_a_run)
    save_file({name: value.contiguous() for name, value in encoder.network.state_dict().items()}, bare)
    found = pretrained_statistics("small-resnet", str(of_a_run), 3)
    assert found is not None
    assert torch.allclose(torch.tensor(found), torch.tensor([[0.1, 0.2, 0.3], [0.4, 0.5, 0.6]]))
    assert pretrained_statistics("small-resnet", str(bare), 3) is None


def test_random_weights_bring_none() -> None:
    assert pretrained_statistics("resnet18", False, 3) is None
