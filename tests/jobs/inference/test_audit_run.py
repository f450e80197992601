import csv
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

import supcon
from supcon.base.errors import RequestError
from supcon.cli.main import main
from supcon.data import DataConfig, load_data
from supcon.runs import Run
from supcon.serving import audit_images

pytestmark = pytest.mark.usefixtures("mean_colours")


@pytest.fixture
def spoilt(photos: Path) -> Path:
    """One training image in the wrong folder, one test image that is also a training image."""
    (photos / "train" / "a b" / "1.png").rename(photos / "train" / "É" / "wrong.png")
    shared = Image.effect_noise((24, 20), 80).convert("RGB")
    shared.save(photos / "train" / "a b" / "twin.png")
    shared.resize((48, 40)).save(photos / "test" / "a b" / "twin.jpg", quality=90)
    return photos


def rows(path: Path) -> list[dict[str, str]]:
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def test_the_tables_name_the_wrong_label_and_the_leak(run: Run, spoilt: Path, tmp_path: Path) -> None:
    found, folder = supcon.audit(run.path, str(spoilt), out=tmp_path / "audit")
    labels = rows(folder / "labels.csv")
    assert len(labels) == len(found.labels) == 42
    first = {row["path"]: row for row in labels[:3]}["train/É/wrong.png"]
    assert (first["label"], first["suggested"], first["split"]) == ("É", "a b", "train")
    scores = [float(row["score"]) for row in labels]
    assert scores == sorted(scores)
    (pair,) = rows(folder / "duplicates.csv")
    assert {pair["path"], pair["other_path"]} == {"train/a b/twin.png", "test/a b/twin.jpg"}
    assert pair["across_splits"] == "yes"
    assert len(rows(folder / "classes.csv")) == 6
    pairs = rows(folder / "pairs.csv")
    assert {row["kind"]: row["label"] == row["other_label"] for row in pairs} == {"positive": True, "negative": False}
    wrong = [row for row in pairs if "train/É/wrong.png" in (row["path"], row["other_path"])]
    assert {row["kind"] for row in wrong} == {"positive", "negative"}
    page = (folder / "audit.html").read_text(encoding="utf-8")
    assert "train/É/wrong.png" in page
    assert "&lt;i&gt;" in page  # class names are escaped


@pytest.mark.parametrize("correction", ["relabel", "unlabel", "remove"])
def test_the_corrected_manifest_can_be_trained_on(
    run: Run, spoilt: Path, tmp_path: Path, correction: str, capsys: pytest.CaptureFixture[str]
) -> None:
    manifest = tmp_path / "corrected.csv"
    supcon.audit(run.path, str(spoilt), out=tmp_path / "a", corrected=manifest, correction=correction, confidence=0.5)  # type: ignore[arg-type]
    counts = "0 labels changed, 2 images" if correction == "remove" else "1 label changed, 1 image"
    assert f"corrected.csv: {counts} left out" in capsys.readouterr().err
    written = {Path(row["path"]).relative_to(spoilt.resolve()): row for row in rows(manifest)}
    wrong, twin = Path("train/É/wrong.png"), Path("train/a b/twin.png")
    assert twin not in written  # its copy is a test image
    assert Path("test/a b/twin.jpg") in written
    if correction == "remove":
        assert wrong not in written
    else:
        assert written[wrong]["label"] == ("a b" if correction == "relabel" else "")
    others = [row for path, row in written.items() if path not in (wrong, twin)]
    assert all(row["label"] == Path(row["path"]).parent.name for row in others)
    data = load_data(DataConfig(spec=str(manifest)))
    assert data.counts["test"] == 13


def test_images_that_are_no_files_are_written_beside_the_manifest(run: Run, tmp_path: Path) -> None:
    found, _ = supcon.audit(run.path, "digits", out=tmp_path / "a", corrected=tmp_path / "m.csv")
    data = load_data(DataConfig(spec=str(tmp_path / "m.csv")))
    assert sum(data.counts.values()) == len(rows(tmp_path / "m.csv")) <= len(found.labels) == 1797
    assert data.channels == 1
    np.testing.assert_array_equal(
        np.asarray(Image.open(tmp_path / "m-images" / "000000.png")), np.asarray(found.images.picture(0))
    )


def test_what_cannot_be_is_one_sentence(run: Run, photos: Path, tmp_path: Path) -> None:
    with pytest.raises(RequestError, match=r"--confidence must be between 0 and 1, got 2"):
        supcon.audit(run.path, confidence=2)
    with pytest.raises(RequestError, match=r"--corrected must end in \.csv"):
        supcon.audit(run.path, corrected=tmp_path / "x.parquet")
    (tmp_path / "m.csv").write_text("path,label\n" + "".join(f"{p},a|b\n" for p in photos.rglob("*.png")))
    with pytest.raises(RequestError, match="several labels per image"):
        supcon.audit(run.path, str(tmp_path / "m.csv"))


def test_images_that_go_away_during_the_work_are_named_and_not_the_output(
    run: Run, photos: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def move(*given: Any) -> Any:
        found = audit_images(*given)
        photos.rename(tmp_path / "moved")
        return found

    monkeypatch.setattr("supcon.jobs.inference.audit_run.audit_images", move)
    assert main(["audit", str(run.path), str(photos), "--out", str(tmp_path / "audit")]) == 1
    said = capsys.readouterr().err
    assert f"supcon: {photos}" in said
    assert "No such file or directory; check that path" in said
    assert not (tmp_path / "audit").exists()


def test_labels_that_are_not_corrected_have_their_reason(
    run: Run, spoilt: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    found, _ = supcon.audit(run.path, str(spoilt), out=tmp_path / "a", corrected=tmp_path / "m.csv", confidence=1.0)
    doubtful = found.doubtful(0)
    splits = [found.images.splits[place] for place in found.labelled[doubtful]]
    highest = max(found.scores.probabilities.max(1)[doubtful])
    training, others = splits.count("train"), len(splits) - splits.count("train")
    said = capsys.readouterr().err
    assert "m.csv: 0 labels changed, 1 image left out: " in said
    assert f"{training} training label" in said
    assert f"below --confidence 1 (the highest has {highest:.1%}".replace("%", " %") in said
    assert (f"{others} is in validation or test" in said) == (others == 1)
