import csv
import io
import json
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq
import pytest

import supcon
from supcon.base.errors import RequestError, WorkError
from supcon.runs import Run
from supcon.serving import Model


def test_the_file_has_what_the_model_gives(run: Run, photos: Path, tmp_path: Path) -> None:
    written = supcon.embed(run.path, str(photos), out=tmp_path / "new" / "e.npz")
    model = supcon.load(run.path)
    with np.load(written, allow_pickle=False) as found:
        paths = [photos / name for name in found["path"]]
        np.testing.assert_allclose(found["representations"], model.embed(paths), atol=1e-6)
        np.testing.assert_allclose(found["probabilities"], model.predict_proba(paths), atol=1e-6)
        assert found["prediction"].tolist() == model.predict(paths)
        assert found["label"].tolist() == [path.parent.name for path in paths]
        assert found["split"].tolist() == [path.parent.parent.name for path in paths]
        assert found["classes"].tolist() == model.classes
    assert sorted(path.name for path in written.parent.iterdir()) == ["e.npz"]


def test_parquet_has_the_same(run: Run, photos: Path, tmp_path: Path) -> None:
    supcon.embed(run.path, str(photos), out=tmp_path / "e.npz")
    table = pq.read_table(supcon.embed(run.path, str(photos), out=tmp_path / "e.parquet", batch_size=7))
    with np.load(tmp_path / "e.npz") as found:
        assert table["path"].to_pylist() == found["path"].tolist()
        np.testing.assert_allclose(np.stack(table["representation"].to_pylist()), found["representations"], atol=1e-6)
        assert table["prediction"].to_pylist() == found["prediction"].tolist()
    assert json.loads(table.schema.metadata[b"classes"]) == supcon.load(run.path).classes


def test_the_runs_own_images_keep_its_splits(run: Run, tmp_path: Path) -> None:
    with np.load(supcon.embed(run.path, out=tmp_path / "e.npz")) as found:
        lines = list(csv.reader(io.StringIO(run.split_table)))[1:]
        assert [list(row) for row in zip(found["path"], found["label"], found["split"], strict=True)] == lines


def test_a_folder_without_classes_is_unlabelled_and_what_cannot_be_read_is_left_out(
    run: Run, photos: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    flat = tmp_path / "flat"
    flat.mkdir()
    for at, path in enumerate(sorted(photos.rglob("*.png"))[:5]):
        path.rename(flat / f"{at}.png")
    (flat / "2.png").write_text("no image")
    with np.load(supcon.embed(run.path, str(flat), out=tmp_path / "e.npz")) as found:
        assert found["path"].tolist() == ["0.png", "1.png", "3.png", "4.png"]
        assert set(found["label"].tolist()) == {""}
        np.testing.assert_allclose(
            found["representations"], supcon.load(run.path).embed([flat / name for name in found["path"]]), atol=1e-6
        )
    assert f"left out: {flat}/2.png (not an image)" in capsys.readouterr().err


def test_a_stopped_embedding_continues(run: Run, photos: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("supcon.jobs.inference.embed_data._SECONDS_BETWEEN_STATES", -1)
    encode, calls = Model.encode, []

    def stop_at_the_third(self: Model, batch: Any) -> Any:
        calls.append(len(batch))
        if len(calls) == 3:
            raise KeyboardInterrupt
        return encode(self, batch)

    monkeypatch.setattr(Model, "encode", stop_at_the_third)
    with pytest.raises(KeyboardInterrupt):
        supcon.embed(run.path, str(photos), out=tmp_path / "e.npz", batch_size=10)
    assert not (tmp_path / "e.npz").exists()
    supcon.embed(run.path, str(photos), out=tmp_path / "e.npz", batch_size=10)
    assert calls == [10] * 5  # two, the one that was stopped, and the last two
    monkeypatch.setattr(Model, "encode", encode)
    supcon.embed(run.path, str(photos), out=tmp_path / "whole.npz")
    with np.load(tmp_path / "e.npz") as one, np.load(tmp_path / "whole.npz") as whole:
        np.testing.assert_allclose(one["representations"], whole["representations"], atol=1e-6)
        assert one["path"].tolist() == whole["path"].tolist()


def test_what_was_stopped_for_other_images_starts_again(run: Run, photos: Path, tmp_path: Path) -> None:
    partial = tmp_path / ".e.npz.partial"
    partial.mkdir()
    (partial / "state.json").write_text(json.dumps({"key": "another", "done": 30, "bad": {}}))
    with np.load(supcon.embed(run.path, str(photos), out=tmp_path / "e.npz")) as found:
        assert len(found["path"]) == 40


def test_what_cannot_be_is_one_sentence(run: Run, tmp_path: Path) -> None:
    with pytest.raises(RequestError, match=r"--out must end in \.npz or \.parquet, got 'e.txt'"):
        supcon.embed(run.path, out=tmp_path / "e.txt")
    with pytest.raises(RequestError, match="--batch-size must be at least 1, got 0"):
        supcon.embed(run.path, out=tmp_path / "e.npz", batch_size=0)
    (tmp_path / "flat").mkdir()
    (tmp_path / "flat" / "a.png").write_text("no image")
    with pytest.raises(
        WorkError, match=r"^1 of 1 files cannot be read as images: .*not an image\); nothing was written"
    ):
        supcon.embed(run.path, str(tmp_path / "flat"), out=tmp_path / "e.npz")


def test_only_the_first_images_that_are_left_out_are_named(
    run: Run, photos: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for path in sorted(photos.rglob("*.png"))[:8]:
        path.write_text("no image")
    with np.load(supcon.embed(run.path, str(photos), out=tmp_path / "e.npz")) as found:
        assert len(found["path"]) == 32
    said = " ".join(capsys.readouterr().err.split())
    assert said.count("(not an image)") == 5
    assert "left out: 3 more of 40 images" in said


def test_without_most_of_the_images_nothing_is_written(run: Run, photos: Path, tmp_path: Path) -> None:
    for path in sorted(photos.rglob("*.png"))[:21]:
        path.write_text("no image")
    with pytest.raises(WorkError, match=r"^21 of 40 files cannot be read as images: .* nothing was written"):
        supcon.embed(run.path, str(photos), out=tmp_path / "e.npz")
    assert not list(tmp_path.glob("*e.npz*"))


def test_images_that_go_away_during_the_work_are_an_error(
    run: Run, photos: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    encode, calls = Model.encode, []

    def move_at_the_third(self: Model, batch: Any) -> Any:
        calls.append(len(batch))
        if len(calls) == 3:
            photos.rename(tmp_path / "moved")
        return encode(self, batch)

    monkeypatch.setattr(Model, "encode", move_at_the_third)
    with pytest.raises(RequestError, match=f"There is no folder and no data set called '{photos}'"):
        supcon.embed(run.path, str(photos), out=tmp_path / "e.npz", batch_size=10)
    (tmp_path / "moved").rename(photos)
    with np.load(supcon.embed(run.path, str(photos), out=tmp_path / "e.npz", batch_size=10)) as found:
        assert len(found["path"]) == 40
