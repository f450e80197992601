import mmap
import os
from pathlib import Path

import numpy as np
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
    assert list(stages.folder.iterdir()) == []


def resident_bytes() -> int:
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="needs /proc to measure the memory")
def test_memory_is_the_peak_of_the_process(stages: Stages, dry_run: DryRun) -> None:
    stages.pretrain("before")
    peak = 1e9 * dry_run.stages[0].memory
    assert peak >= 0.95 * resident_bytes()
    # 300 MB above the peak so far; pages of their own, which no freed memory can stand in for, and written to.
    block = np.frombuffer(mmap.mmap(-1, int(peak - resident_bytes() + 3e8)), dtype=np.uint8)
    block[:] = 1
    stages.pretrain("after")
    assert block.all()
    assert 1e9 * dry_run.stages[1].memory == pytest.approx(peak + 3e8, abs=1e8)


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
    assert "measured with the second of two steps" in out
    assert list(tmp_path.iterdir()) == []
