from pathlib import Path

import pytest

from references.whole_stages import LINEAR, Stages
from supcon.stages.trainer.dry_run import DryRun, StageEstimate


@pytest.fixture
def dry_run(stages: Stages) -> DryRun:
    dry_run = DryRun()
    stages.fit = dry_run.fit
    return dry_run


def test_two_steps_tell_what_a_stage_needs(stages: Stages, dry_run: DryRun) -> None:
    stages.pretrain("stage1", epochs=50)
    stages.classify("stage2", epochs=7)
    first, second = dry_run.stages
    assert (first.name, first.epochs, first.epoch_steps) == ("stage1", 50, 3)
    assert (second.name, second.epochs, second.epoch_steps) == ("stage2", 7, 36 // LINEAR.batch_size)
    assert first.step_seconds > 0
    assert 0.1 < first.memory < 20
    assert list(stages.folder.iterdir()) == []


def test_an_estimate_adds_up() -> None:
    stage = StageEstimate(name="stage2", epochs=10, epoch_steps=20, step_seconds=0.5, first_seconds=3, memory=1)
    assert stage.epoch_seconds == 10
    assert stage.seconds == 103


def test_few_images_stand_for_all_where_stage_2_is_cached(stages: Stages, dry_run: DryRun) -> None:
    encoder, _, _ = stages.make_parts(0)
    seen: list[int] = []

    def encode(encoder: object, split: object) -> object:
        seen.append(len(split))  # type: ignore[arg-type]
        return split.images.flatten(1).float()  # type: ignore[attr-defined]

    rows = dry_run.encode_split(encode, encoder, stages.data.train)  # type: ignore[arg-type]
    assert rows.shape == (36, 64)
    assert seen == [36, 36]
    assert dry_run.encoding > 0


def test_nothing_is_left_behind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from supcon.cli.main import main

    monkeypatch.chdir(tmp_path)
    options = ["--encoder.width", "8", "--stage2.cached", "true", "--device", "cpu", "--micro-batch", "32"]
    assert main(["train", "--dry-run", *options]) == 0
    out = capsys.readouterr().out
    assert "stage1" in out
    assert "stage2" in out
    assert "Estimated from the second of two steps" in out
    assert list(tmp_path.iterdir()) == []
