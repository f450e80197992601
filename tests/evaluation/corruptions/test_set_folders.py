"""What folders of published corrupted sets have, by names alone."""

from pathlib import Path

import pytest

from supcon.base.errors import RequestError
from supcon.evaluation import has_corruptions, has_severity, published_corruptions


def test_what_a_folder_has_is_found(tmp_path: Path) -> None:
    assert not has_corruptions(tmp_path)
    (tmp_path / "fog.npy").touch()
    assert published_corruptions(tmp_path) == ("fog",)
    (tmp_path / "noise" / "gaussian_noise" / "1").mkdir(parents=True)
    assert published_corruptions(tmp_path) == ("gaussian_noise", "fog")
    assert has_corruptions(tmp_path)


def test_severities_are_found(tmp_path: Path) -> None:
    (tmp_path / "fog.npy").touch()
    (tmp_path / "noise" / "gaussian_noise" / "1").mkdir(parents=True)
    assert has_severity(tmp_path, "fog", 5), "an array has all five"
    assert has_severity(tmp_path, "gaussian_noise", 1)
    assert not has_severity(tmp_path, "gaussian_noise", 2)
    assert not has_severity(tmp_path, "snow", 1)


def test_no_corrupted_sets_are_said(tmp_path: Path) -> None:
    with pytest.raises(
        RequestError, match=r" has no corrupted sets; expected folders or \.npy files named gaussian_noise, "
    ):
        published_corruptions(tmp_path)
    with pytest.raises(
        RequestError, match=r"^There is no folder .*nowhere; give one of ImageNet-C or of CIFAR-10-C\.$"
    ):
        published_corruptions(tmp_path / "nowhere")
