"""Figures that go elsewhere too, read back from where they went."""

import pytest

from references.whole_stages import Stages
from supcon.base.errors import RequestError
from supcon.stages.config import HardwareConfig
from supcon.stages.trainer.loggers import check_logger


@pytest.mark.filterwarnings("ignore")  # TensorBoard's own
def test_tensorboard_gets_every_figure_of_metrics_csv(stages: Stages) -> None:
    accumulator = pytest.importorskip("tensorboard.backend.event_processing.event_accumulator")
    stages.pretrain(epochs=3, hardware=HardwareConfig(device="cpu", logger="tensorboard"))
    events = accumulator.EventAccumulator(str(stages.folder / "stage1" / "tensorboard"))
    events.Reload()
    assert set(events.Tags()["scalars"]) >= {"train/loss", "train/uniformity", "lr", "step/loss", "step/gradient_norm"}
    rows = stages.rows("stage1")
    logged = [event.value for event in events.Scalars("train/loss")]
    assert logged == pytest.approx([row["train/loss"] for row in rows.values()])
    assert [event.step for event in events.Scalars("step/loss")] == list(range(1, 10))


@pytest.mark.filterwarnings("ignore")  # wandb's own
def test_weights_and_biases_keeps_a_run_offline(stages: Stages, monkeypatch: pytest.MonkeyPatch) -> None:
    wandb = pytest.importorskip("wandb")
    monkeypatch.setenv("WANDB_MODE", "offline")
    monkeypatch.setenv("WANDB_SILENT", "true")
    stages.pretrain(epochs=2, hardware=HardwareConfig(device="cpu", logger="wandb"))
    wandb.finish()
    assert list((stages.folder / "stage1").rglob("run-*.wandb"))


def test_a_logger_that_is_not_installed_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("supcon.stages.trainer.loggers.find_spec", lambda name: None)
    check_logger("none")
    with pytest.raises(
        RequestError, match=r"--logger wandb needs a package that is not installed: pip install 'supcon"
    ):
        check_logger("wandb")


def test_nothing_is_made_where_nobody_asked(stages: Stages) -> None:
    stages.pretrain()
    assert {path.name for path in (stages.folder / "stage1").iterdir()} == {"checkpoints", "metrics.csv"}
