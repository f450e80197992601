"""What a run keeps for its page, and the page that it writes."""

import shutil
from pathlib import Path

import numpy as np
import pytest
import torch

from supcon.base.errors import RequestError
from supcon.cli.main import main
from supcon.jobs import read_results, write_comparison, write_report
from supcon.jobs.baseline_run import baseline_runs
from supcon.jobs.run_data import load_run_data
from supcon.runs import Run
from supcon.serving import load


def test_results_are_those_of_the_runs_files(tiny_runs: dict[str, Path]) -> None:
    run = Run(tiny_runs["supcon"])
    results = read_results(run)
    assert results.measures == run.measures
    assert results.outputs.probabilities.shape == (len(results.outputs.labels), 10)
    accuracy = (results.outputs.probabilities.argmax(1) == results.outputs.labels).mean()
    assert accuracy == pytest.approx(run.measures["test/top1"])
    loss = results.curves["stage1"]["train/loss"]
    assert loss.epochs.tolist() == [1, 2]
    assert np.isfinite(loss.values).all()


def test_pages_are_written_again(tiny_runs: dict[str, Path], tmp_path: Path) -> None:
    run = Run(Path(shutil.copytree(tiny_runs["supcon"], tmp_path / "supcon")))
    for file in (run.report_file, run.report_text_file):
        file.unlink()
    write_report(run)
    assert run.report_file.read_text().startswith("<!doctype html>")
    assert run.report_text_file.read_text().startswith("# ")
    write_comparison([run, Run(tiny_runs["cross-entropy"])], tmp_path / "comparison.html")
    assert "cross-entropy" in (tmp_path / "comparison.html").read_text()


def test_damaged_outputs_are_named(tiny_runs: dict[str, Path], tmp_path: Path) -> None:
    run = Run(Path(shutil.copytree(tiny_runs["supcon"], tmp_path / "supcon")))
    run.outputs_file.write_bytes(b"not an archive")
    with pytest.raises(RequestError, match=r"test_outputs\.npz is damaged \(it is not an \.npz file\); train"):
        read_results(run)


def test_neighbours_are_the_most_similar_training_images(tiny_runs: dict[str, Path]) -> None:
    run = Run(tiny_runs["supcon"])
    results, data, model = read_results(run), load_run_data(run), load(run.path)
    training, outputs = results.training, results.outputs
    assert training is not None
    assert outputs.thumbnail_index.tolist() == list(range(len(data.test)))
    train, test = (torch.from_numpy(model.embed(split.images[:])) for split in (data.train, data.test))
    rows = [torch.nn.functional.normalize(part, dim=1) for part in (test, train)]
    similarity, index = (rows[0] @ rows[1].T).topk(5, dim=1)
    np.testing.assert_allclose(training.similarity, similarity, atol=1e-4)
    for image in (0, 17, 359):
        names = [training.names[near] for near in training.nearest[image].tolist()]
        assert names == [data.train_names[near] for near in index[image].tolist()]
        for near, place in zip(training.nearest[image].tolist(), index[image].tolist(), strict=True):
            assert training.labels[near] == data.train.labels[place]
            np.testing.assert_array_equal(training.thumbnails[near, ..., 0], data.train.images[place, 0])


def test_the_baseline_beside_a_run_is_shown(tiny_runs: dict[str, Path]) -> None:
    run = Run(tiny_runs["supcon"])
    (found,) = baseline_runs(run)
    assert found.name == "cross-entropy"
    assert baseline_runs(found) == []
    write_report(run)
    page, text = run.report_file.read_text(), run.report_text_file.read_text()
    assert "cross-entropy: cross-entropy, the baseline" in page
    assert "paired test on the same images" in text
    assert str(run.path) in page


def test_a_run_of_other_test_images_is_no_baseline(tiny_runs: dict[str, Path], tmp_path: Path) -> None:
    for name in ("supcon", "cross-entropy"):
        shutil.copytree(tiny_runs[name], tmp_path / name)
    other = Run(tmp_path / "cross-entropy")
    with np.load(other.outputs_file, allow_pickle=False) as arrays:
        changed = {name: arrays[name] for name in arrays} | {"fingerprint": np.array("another")}
    np.savez_compressed(other.outputs_file, allow_pickle=False, **changed)
    assert baseline_runs(Run(tmp_path / "supcon")) == []


def test_a_baseline_that_cannot_be_read_is_not_shown(
    tiny_runs: dict[str, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("supcon", "cross-entropy"):
        shutil.copytree(tiny_runs[name], tmp_path / name)
    shutil.copytree(tiny_runs["cross-entropy"], tmp_path / "second")
    run, first, second = (Run(tmp_path / name) for name in ("supcon", "cross-entropy", "second"))
    first.model_card_file.write_text("{")
    write_report(run)
    assert "second: cross-entropy, the baseline" in run.report_file.read_text()
    second.outputs_file.write_bytes(second.outputs_file.read_bytes()[:2000])
    write_report(run)
    assert "the baseline" not in run.report_file.read_text()
    assert f"{second.path} is not shown as the baseline: {second.outputs_file} is damaged" in capsys.readouterr().err
    with pytest.raises(RequestError, match="is damaged"):
        write_report(run, baseline=second)


def test_a_baseline_can_be_named(tiny_runs: dict[str, Path], tmp_path: Path) -> None:
    shutil.copytree(tiny_runs["supcon"], tmp_path / "alone")
    run = Run(tmp_path / "alone")
    write_report(run)
    assert "the baseline" not in run.report_file.read_text()
    assert main(["report", str(run.path), "--baseline", str(tiny_runs["cross-entropy"])]) == 0
    assert "cross-entropy: cross-entropy, the baseline" in run.report_file.read_text()


def test_results_of_older_versions_have_a_page(tiny_runs: dict[str, Path], tmp_path: Path) -> None:
    shutil.copytree(tiny_runs["supcon"], tmp_path / "old")
    run = Run(tmp_path / "old")
    known = ("labels", "probabilities", "coordinates", "map_index", "map_method", "thumbnails", "thumbnail_index")
    with np.load(run.outputs_file, allow_pickle=False) as arrays:
        kept = {name: arrays[name] for name in known}
    np.savez_compressed(run.outputs_file, allow_pickle=False, **kept)
    for path in run.stage(1).glob("*.npz"):
        path.unlink()
    write_report(run)
    page = run.report_file.read_text()
    assert 'id="labels"' not in page
    assert 'id="pairs"' not in page


def test_damaged_pictures_are_named(tiny_runs: dict[str, Path], tmp_path: Path) -> None:
    shutil.copytree(tiny_runs["supcon"], tmp_path / "damaged")
    run = Run(tmp_path / "damaged")
    (run.stage(1) / "views.npz").write_bytes(b"not an archive")
    with pytest.raises(RequestError, match=r"views\.npz is damaged \(it is not an \.npz file\)"):
        write_report(run)


def test_the_list_of_the_audit_is_shown(tiny_runs: dict[str, Path], tmp_path: Path) -> None:
    shutil.copytree(tiny_runs["supcon"], tmp_path / "audited")
    run = Run(tmp_path / "audited")
    assert "of <code>supcon audit</code>" not in run.report_file.read_text()
    (run.path / "audit").mkdir()
    (run.path / "audit" / "labels.csv").write_text(
        "path,split,label,suggested,score,suggested_probability,unanimous\n"
        "12,train,3,8,0.01,0.9300,yes\n"
        "13,test,3,5,0.02,0.9200,yes\n"
        "<b>14,train,1,7,0.03,0.8100,no\n"
        "15,train,2,2,0.90,0.9900,yes\n"
    )
    assert [(label.name, label.suggested) for label in read_results(run).audited] == [("12", "8"), ("<b>14", "7")]
    write_report(run)
    page = run.report_file.read_text()
    assert 'href="audit/audit.html"' in page
    assert "&lt;b&gt;14" in page
    assert "93.0\xa0%" in page
