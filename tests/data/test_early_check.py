"""What is refused before torch is imported."""

import subprocess
import sys
from pathlib import Path

import pytest
from PIL import Image

from supcon.base.errors import RequestError
from supcon.data import check_present, check_spec


def image(path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    Image.new("RGB", (4, 4)).save(path)


@pytest.fixture
def shelf(tmp_path: Path) -> Path:
    """A folder one level too high: two data sets, one of them in splits."""
    for name in ("ants", "bees"):
        image(tmp_path / "insects" / "train" / name / "1.png")
        image(tmp_path / "insects" / "val" / name / "1.png")
        image(tmp_path / "photos" / name / "1.png")
    return tmp_path


def test_a_folder_one_level_too_high_is_refused_with_the_paths_that_look_right(shelf: Path) -> None:
    with pytest.raises(RequestError) as refused:
        check_spec(str(shelf))
    assert f"give {shelf / 'insects'}, {shelf / 'photos'}," in str(refused.value)


def test_a_single_folder_in_between_is_named_too(shelf: Path) -> None:
    (shelf / "outer").mkdir()
    (shelf / "photos").rename(shelf / "outer" / "photos")
    with pytest.raises(RequestError, match=f"give {shelf / 'outer' / 'photos'},"):
        check_spec(str(shelf / "outer"))


def test_the_right_folders_are_taken(shelf: Path) -> None:
    check_spec(str(shelf / "insects"))
    check_spec(str(shelf / "insects" / "train"))
    check_spec(str(shelf / "photos"))


def test_classes_may_have_folders_inside_as_long_as_one_holds_images(shelf: Path) -> None:
    image(shelf / "photos" / "bees" / "2020" / "1.png")
    image(shelf / "photos" / "bees" / "2021" / "1.png")
    check_spec(str(shelf / "photos"))


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["no/such/folder"], "There is no folder and no data set called"),
        (["--out", "."], "is not empty and is not a run"),
        (["--epoch", "3"], "did you mean --epochs?"),
        (["--batch-size", "many"], "--batch-size must be an integer, got 'many'."),
    ],
)
def test_a_wrong_request_is_refused_without_waiting_for_torch(words: list[str], sentence: str, tmp_path: Path) -> None:
    (tmp_path / "something").touch()
    script = (
        "import sys; from supcon.cli.main import main; code = main(['train', *sys.argv[1:]]); "
        "print([name for name in ('torch', 'lightning', 'sklearn', 'timm') if name in sys.modules]); sys.exit(code)"
    )
    done = subprocess.run([sys.executable, "-c", script, *words], capture_output=True, text=True, cwd=tmp_path)
    assert done.returncode == 2
    assert sentence in done.stderr
    assert done.stdout.strip() == "[]"


def test_a_named_set_that_is_not_on_disk(tmp_path: Path) -> None:
    with pytest.raises(RequestError, match=r"^cifar10 \(170 MB\) was not found as .*; download it with --download, or"):
        check_present("cifar10", str(tmp_path))
    (tmp_path / "cifar-10-batches-py").mkdir()
    check_present("cifar10", str(tmp_path))
    check_present("digits")
    check_present(str(tmp_path))
    with pytest.raises(RequestError, match="did you mean 'cifar10'"):
        check_present("cifr10")
