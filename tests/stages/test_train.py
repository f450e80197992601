"""Whole stages, as a run trains them, on a few images."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor, nn

from supcon.data.image_data import ImageData
from supcon.errors import RequestError, WorkError
from supcon.losses.config import LossConfig
from supcon.stages.config import HardwareConfig, OptimizerConfig, Stage1Config, Stage2Config
from supcon.stages.metrics_file import read_metrics
from supcon.stages.train import Surroundings, classify, cross_entropy, pretrain
from supcon.views.config import ViewsConfig

VIEWS = ViewsConfig(crop_area=(0.6, 1.0), flip_probability=0.0, blur_probability=0.0, warp_probability=0.0)
CPU = HardwareConfig(device="cpu")
Weights = dict[str, Tensor]
Probe = Callable[[Any], Mapping[str, float]]


def nothing(encode: Any) -> Mapping[str, float]:
    return {}


class Trained:
    """The three stages with everything but the interesting values filled in."""

    def __init__(self, data: ImageData, make_parts: Callable[..., Any], folder: Path) -> None:
        self.data, self.make_parts, self.folder = data, make_parts, folder

    def around(self, seed: int, hardware: HardwareConfig = CPU) -> Surroundings:
        return Surroundings(data=self.data, hardware=hardware, seed=seed, write=lambda path, text: _write(path, text))

    def pretrain(
        self,
        folder: str = "stage1",
        *,
        epochs: int = 2,
        lr: float = 0.1,
        seed: int = 0,
        probe: Probe = nothing,
        labelled: bool = True,
        views: ViewsConfig = VIEWS,
        hardware: HardwareConfig = CPU,
        knn_every: int = 1,
    ) -> nn.Module:
        encoder, projection, _ = self.make_parts(0)
        stage = Stage1Config(
            epochs=epochs, batch_size=12, optimizer=OptimizerConfig(lr=lr, warmup_epochs=0.5), knn_every=knn_every
        )
        pretrain(
            encoder,
            projection,
            self.around(seed, hardware),
            self.folder / folder,
            labelled=labelled,
            loss=LossConfig(rescale="none"),
            views=views,
            stage=stage,
            probe=probe,
        )
        return nn.ModuleDict({"encoder": encoder, "projection": projection})

    def cross_entropy(self, folder: str = "stage1", *, epochs: int = 2, seed: int = 0) -> nn.Module:
        encoder, _, classifier = self.make_parts(0)
        stage = Stage1Config(epochs=epochs, batch_size=12, optimizer=OptimizerConfig(lr=0.1), knn_every=0)
        around = self.around(seed)
        cross_entropy(encoder, classifier, around, self.folder / folder, views=VIEWS, stage=stage, probe=nothing)
        return nn.ModuleDict({"encoder": encoder, "classifier": classifier})

    def classify(self, folder: str = "stage2", *, epochs: int = 2, seed: int = 0) -> nn.Module:
        encoder, _, classifier = self.make_parts(0)
        stage = Stage2Config(epochs=epochs, batch_size=12, optimizer=OptimizerConfig(lr=2.0, weight_decay=0.0))
        classify(encoder, classifier, self.around(seed), self.folder / folder, stage=stage)
        return nn.ModuleDict({"encoder": encoder, "classifier": classifier})

    def losses(self, folder: str) -> list[float]:
        return [row["train/loss"] for row in read_metrics(self.folder / folder / "metrics.csv").values()]


def _write(path: Path, text: str) -> None:
    path.write_text(text)


@pytest.fixture
def trained(stripes: ImageData, make_parts: Callable[..., Any], tmp_path: Path) -> Trained:
    return Trained(stripes, make_parts, tmp_path)


def weights(module: nn.Module) -> Weights:
    return {name: tensor.clone() for name, tensor in module.state_dict().items()}


def equal(first: Weights, second: Weights) -> bool:
    return first.keys() == second.keys() and all(torch.equal(first[name], second[name]) for name in first)


# Learning


@pytest.mark.parametrize("labelled", [True, False])
def test_pretraining_reduces_the_loss(trained: Trained, labelled: bool) -> None:
    trained.pretrain(epochs=15, labelled=labelled)
    losses = trained.losses("stage1")
    assert len(losses) == 15
    assert min(losses[-3:]) < losses[0] - 0.3


def test_cross_entropy_reduces_the_loss_and_learns_the_classes(trained: Trained) -> None:
    trained.cross_entropy(epochs=15)
    rows = read_metrics(trained.folder / "stage1" / "metrics.csv")
    assert rows[15]["train/loss"] < 0.6 * rows[1]["train/loss"]
    assert rows[15]["train/top1"] > max(0.7, rows[1]["train/top1"])


def test_stage_2_learns_and_leaves_the_encoder_bit_for_bit(trained: Trained) -> None:
    before = weights(trained.make_parts(0)[0])
    module = trained.classify(epochs=8)
    assert equal(before, weights(module["encoder"]))  # type: ignore[index]
    assert {"network.stem.1.running_mean", "network.stem.1.num_batches_tracked"} <= set(before)
    losses = trained.losses("stage2")
    assert losses[-1] < losses[0]


# Equal runs


@pytest.mark.parametrize("stage", ["pretrain", "cross_entropy", "classify"])
def test_the_same_seed_gives_the_same_weights_and_another_does_not(trained: Trained, stage: str) -> None:
    run = getattr(trained, stage)
    first = weights(run("first"))
    torch.manual_seed(123)  # nothing may depend on the state of the global generator
    assert equal(first, weights(run("again")))
    assert not equal(first, weights(run("other", seed=1)))


class Stopped(Exception):
    """A power cut."""


def stop_after(epochs: int) -> Probe:
    calls: list[None] = []

    def probe(encode: Any) -> Mapping[str, float]:
        calls.append(None)
        if len(calls) > epochs:
            raise Stopped
        return {"validation/knn_top1": 0.5}

    return probe


def test_an_interrupted_stage_goes_on_as_if_nothing_had_happened(trained: Trained) -> None:
    steady: Probe = stop_after(99)
    whole = weights(trained.pretrain("whole", epochs=4, probe=steady))
    with pytest.raises(Stopped):  # in the third epoch, after its steps and before its checkpoint
        trained.pretrain("cut", epochs=4, probe=stop_after(2))
    assert list(read_metrics(trained.folder / "cut" / "metrics.csv")) == [1, 2]
    assert equal(whole, weights(trained.pretrain("cut", epochs=4, probe=steady)))
    rows = {name: read_metrics(trained.folder / name / "metrics.csv") for name in ("whole", "cut")}
    for table in rows.values():
        for row in table.values():
            assert row.pop("seconds") > 0
    assert rows["cut"] == rows["whole"]
    assert list(rows["cut"]) == [1, 2, 3, 4]


@pytest.mark.parametrize("stage", ["cross_entropy", "classify"])
def test_a_stage_interrupted_twice_goes_on_as_well(
    trained: Trained, stage: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = getattr(trained, stage)
    whole = weights(run("whole", epochs=3))
    for _ in range(2):
        with monkeypatch.context() as patch:
            probe = stop_after(1)
            patch.setattr("supcon.stages.watch.Seconds.on_train_epoch_start", lambda *_: probe(None))
            with pytest.raises(Stopped):
                run("cut", epochs=3)
    assert equal(whole, weights(run("cut", epochs=3)))


def test_a_finished_stage_is_loaded_and_not_trained_again(trained: Trained) -> None:
    first = weights(trained.pretrain("stage1", epochs=2))
    table = (trained.folder / "stage1" / "metrics.csv").read_text()
    again = weights(trained.pretrain("stage1", epochs=2, probe=stop_after(0)))
    assert equal(first, again)
    assert (trained.folder / "stage1" / "metrics.csv").read_text() == table


def test_only_the_last_checkpoint_is_kept(trained: Trained) -> None:
    trained.pretrain(epochs=3)
    files = sorted(path.relative_to(trained.folder).as_posix() for path in trained.folder.rglob("*") if path.is_file())
    assert files == ["stage1/checkpoints/last.ckpt", "stage1/metrics.csv"]


# What is measured on the way


def test_every_row_has_its_own_measures(trained: Trained) -> None:
    values = iter([0.25, 0.5])
    trained.pretrain(epochs=3, probe=lambda encode: {"validation/knn_top1": next(values)}, knn_every=2)
    rows = read_metrics(trained.folder / "stage1" / "metrics.csv")
    assert [row.get("validation/knn_top1") for row in rows.values()] == [None, 0.25, 0.5]
    assert all(row["train/loss"] > 0 and row["seconds"] > 0 for row in rows.values())


def test_the_probe_gets_the_encoder_and_changes_nothing(trained: Trained) -> None:
    def probe(encode: Any) -> Mapping[str, float]:
        assert not encode.training
        assert encode(trained.data.validation.images).shape == (9, 16)
        return {}

    with_probe = weights(trained.pretrain("with", probe=probe))
    assert equal(with_probe, weights(trained.pretrain("without", knn_every=0)))


def test_the_collapsed_value_is_said_at_the_start(trained: Trained, capsys: pytest.CaptureFixture[str]) -> None:
    trained.pretrain(epochs=1)
    said = capsys.readouterr().err
    assert "24 rows" in said
    assert "3.135" in said  # log(23)


# What goes wrong


def test_a_loss_that_is_no_number_stops_the_stage_and_keeps_the_checkpoint(trained: Trained) -> None:
    trained.pretrain(epochs=2, lr=0.1)
    good = (trained.folder / "stage1" / "checkpoints" / "last.ckpt").read_bytes()
    with pytest.raises(
        WorkError, match=r"^The loss became (nan|inf) at step \d+: the learning rate is probably too high"
    ):
        # The optimizer's own state comes from the checkpoint; its schedule is scaled by the new learning rate.
        trained.pretrain("stage1", epochs=40, lr=1e38)
    assert (trained.folder / "stage1" / "checkpoints" / "last.ckpt").read_bytes() == good


def test_a_batch_larger_than_the_training_set_is_refused(trained: Trained) -> None:
    encoder, _, classifier = trained.make_parts(0)
    with pytest.raises(RequestError, match="The batch size 64 is larger than the training set of 36 images"):
        classify(encoder, classifier, trained.around(0), trained.folder, stage=Stage2Config(batch_size=64))


def test_half_precision_still_learns(trained: Trained) -> None:
    trained.pretrain(epochs=8, hardware=HardwareConfig(device="cpu", precision="bf16-mixed"))
    losses = trained.losses("stage1")
    assert losses[-1] < losses[0] - 0.1
