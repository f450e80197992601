"""Several labels an image, from a manifest to the report."""

import json
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

import supcon
from supcon.cli.main import main
from supcon.runs import Run

FAST = ["--encoder.name", "small-resnet", "--encoder.width", "8", "--stage1.knn_every", "1", "--device", "cpu"]


@pytest.fixture(scope="module")
def manifest(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Images whose red half, green half, both or neither is lit."""
    root, random = tmp_path_factory.mktemp("lights"), np.random.default_rng(0)
    lines = ["path,label,split"]
    for number in range(120):
        red, green = random.integers(0, 2, 2).tolist()
        pixels = random.integers(0, 60, (16, 16, 3), dtype=np.uint8)
        pixels[:, :8, 0] += np.uint8(180 * red)
        pixels[:, 8:, 1] += np.uint8(180 * green)
        Image.fromarray(pixels).save(root / f"{number}.png")
        names = [name for name, there in (("red", red), ("green", green), ("dark", not red and not green)) if there]
        lines.append(f"{number}.png,{'|'.join(names)},{'test' if number % 4 == 0 else 'train'}")
    (root / "lights.csv").write_text("\n".join(lines))
    return root / "lights.csv"


@pytest.fixture(scope="module")
def runs(manifest: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    root = tmp_path_factory.mktemp("runs")
    for method in ("supcon", "cross-entropy"):
        words = ["train", str(manifest), "--recipe", "folder", "--method", method, "--epochs", "4"]
        more = ["--stage2.epochs", "10", "--views.flip_probability", "0", "--out", str(root / method)]
        assert main([*words, *more, *FAST]) == 0
    return {path.name: path for path in root.iterdir()}


@pytest.mark.parametrize("method", ["supcon", "cross-entropy"])
def test_it_learns_and_says_the_mean_average_precision(runs: dict[str, Path], method: str) -> None:
    measures = Run(runs[method]).measures
    assert measures["test/map"] > 0.75
    assert 0 <= measures["test/knn_map"] <= 1
    assert "test/top1" not in measures
    per_class = [measures[f"test/class/{name}/ap"] for name in ("dark", "green", "red")]
    assert measures["test/map"] == pytest.approx(np.mean(per_class))


def test_the_neighbours_are_measured_on_the_way(runs: dict[str, Path]) -> None:
    assert len(Run(runs["supcon"]).curves(1)["validation/knn_map"]) == 4


def test_the_page_has_classes_and_errors(runs: dict[str, Path], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["report", str(runs["supcon"])]) == 0
    assert "Test mean average precision" in capsys.readouterr().out
    page, text = (runs["supcon"] / "report.html").read_text(), (runs["supcon"] / "report.md").read_text()
    assert "Average precision" in page
    assert "| class | images | average precision |" in text
    assert "Which classes are confused" not in page


def test_runs_are_compared_by_their_measures(
    runs: dict[str, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "page.html"
    assert main(["compare", str(runs["supcon"]), str(runs["cross-entropy"]), "--out", str(out)]) == 0
    assert "Test mean average precision" in capsys.readouterr().out


def test_the_model_gives_every_class_a_probability(runs: dict[str, Path], manifest: Path) -> None:
    model = supcon.load(runs["supcon"])
    files = sorted(manifest.parent.glob("*.png"))[:20]
    chances = model.predict_proba(files)
    assert not np.allclose(chances.sum(1), 1)
    names = model.classes
    expected = ["|".join(names[c] for c in np.flatnonzero(row >= 0.5)) for row in chances]
    assert model.predict(files) == expected


def test_it_is_evaluated_again_to_the_same_figures(runs: dict[str, Path]) -> None:
    before = json.loads((runs["supcon"] / "evaluation.json").read_text())
    assert main(["evaluate", str(runs["supcon"]), "--device", "cpu"]) == 0
    after = json.loads((runs["supcon"] / "evaluation.json").read_text())
    assert after == pytest.approx(before)


def test_bins_have_no_meaning_without_a_calibration_error(
    runs: dict[str, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["evaluate", str(runs["supcon"]), "--bins", "10"]) == 2
    assert "several labels per image and no calibration error; leave --bins out." in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "option"),
    [
        (["--method", "triplet"], "method"),
        (["--method", "joint"], "method"),
        (["--mix.method", "mixup"], "mix.method"),
        (["--loss.queue_size", "64"], "loss.queue_size"),
        (["--stage1.sampler", "class-balanced"], "stage1.sampler"),
    ],
)
def test_what_has_no_meaning_is_refused(
    manifest: Path, tmp_path: Path, words: list[str], option: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["train", str(manifest), "--recipe", "folder", *words, *FAST, "--out", str(tmp_path / "run")]) == 2
    said = capsys.readouterr().err
    assert f"lights has several labels per image, for which this value of {option} is not defined" in said
    assert not (tmp_path / "run").exists()
