"""`supcon embed` as a command."""

from pathlib import Path

import numpy as np
import pytest

from random_models import photo_folder, saved_run
from supcon.cli.main import main


@pytest.fixture
def run(tmp_path: Path) -> str:
    return str(saved_run(tmp_path / "run").path)


@pytest.fixture
def photos(tmp_path: Path) -> Path:
    return photo_folder(tmp_path / "photos")


def test_embed_writes_the_file_and_says_so(run: str, photos: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = photos.parent / "e.npz"
    assert main(["embed", run, str(photos), "--out", str(out)]) == 0
    assert capsys.readouterr().out == f"representations: {out}\n"
    assert np.load(out)["representations"].shape == (4, 32)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["embed", "RUN", "nowhere", "--out", "x.npz"], "There is no folder and no data set called 'nowhere'"),
    ],
)
def test_wrong_requests_are_one_sentence(
    run: str, arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([run if argument == "RUN" else argument for argument in arguments]) == 2
    assert message in capsys.readouterr().err
