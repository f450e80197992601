import shutil
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

import supcon
from random_models import CLASSES
from supcon.base.errors import RequestError
from supcon.cli.main import main
from supcon.jobs import with_prototypes
from supcon.runs import Run

pytestmark = pytest.mark.usefixtures("mean_colours")


@pytest.fixture
def white(tmp_path: Path) -> Path:
    """A folder with one new class, of three images."""
    folder = tmp_path / "new" / "white"
    folder.mkdir(parents=True)
    for at in range(3):
        Image.fromarray(np.full((20, 20, 3), 250 - at, np.uint8)).save(folder / f"{at}.png")
    return folder.parent


def test_a_class_is_added_without_training(run: Run, photos: Path, white: Path) -> None:
    model = with_prototypes(run.path, supcon.load(run.path), white)
    assert model.classes == [*sorted(CLASSES), "white"]
    assert model.predict(white) == ["white"] * 3
    own = sorted((photos / "test").rglob("*.png"))
    right = [found == path.parent.name for found, path in zip(model.predict(own), own, strict=True)]
    assert np.mean(right) > 0.9
    assert (run.path / "galleries" / "own").is_dir()


def test_the_command_does_the_same(run: Run, white: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["predict", str(run.path), str(white), "--prototypes", str(white), "--json"]) == 0
    assert capsys.readouterr().out.count('"class": "white"') == 3


def test_what_cannot_be_is_one_sentence(run: Run, tmp_path: Path, white: Path) -> None:
    model = supcon.load(run.path)
    with pytest.raises(RequestError, match="There is no folder"):
        with_prototypes(run.path, model, tmp_path / "nowhere")
    with pytest.raises(RequestError, match="has no folders of images"):
        with_prototypes(run.path, model, white / "white")
    days = tmp_path / "days"
    for day in ("mon", "tue"):
        for name in ("new", "newer"):
            shutil.copytree(white / "white", days / day / name)
    with pytest.raises(RequestError, match=rf"^{days} has no class folders with images.* give {days}/mon, {days}/tue"):
        with_prototypes(run.path, model, days)
    with pytest.raises(RequestError, match="--prototypes needs the folder of a run"):
        with_prototypes(run.model_file, model, white)
