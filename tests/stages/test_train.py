"""Whole stages, as a run trains them, on a few images."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
import torch
from lightning import LightningModule, Trainer
from torch import Tensor, nn

from supcon.data.image_data import ImageData
from supcon.errors import RequestError, WorkError
from supcon.losses.config import LossConfig
from supcon.stages.config import HardwareConfig, OptimizerConfig, Stage1Config, Stage2Config
from supcon.stages.metrics_file import read_metrics
from supcon.stages.train import Surroundings, classify, cross_entropy, pretrain
from supcon.stages.watch import Seconds
from supcon.views import MixConfig, ViewsConfig

VIEWS = ViewsConfig(augmentation="crop-flip", crop_area=(0.8, 1.0), flip_probability=0.0)
CPU = HardwareConfig(device="cpu")
Weights = dict[str, Tensor]
Probe = Callable[[Any], Mapping[str, float]]


def adamw(lr: float) -> OptimizerConfig:
    return OptimizerConfig(name="adamw", lr=lr, warmup_epochs=0.5)


def nothing(encode: Any) -> Mapping[str, float]:
    return {}


def write(path: Path, text: str) -> None:
    path.write_text(text)


class Stages:
    """The three stages with everything but the interesting values filled in."""

    def __init__(self, data: ImageData, make_parts: Callable[..., Any], folder: Path) -> None:
        self.data, self.make_parts, self.folder = data, make_parts, folder

    def around(self, seed: int, hardware: HardwareConfig = CPU) -> Surroundings:
        return Surroundings(data=self.data, hardware=hardware, seed=seed, write=write)

    def pretrain(
        self,
        folder: str = "stage1",
        *,
        epochs: int = 2,
        lr: float = 0.01,
        seed: int = 0,
        probe: Probe = nothing,
        knn_every: int = 1,
        labelled: bool = True,
        views: ViewsConfig = VIEWS,
        hardware: HardwareConfig = CPU,
    ) -> nn.ModuleDict:
        encoder, projection, _ = self.make_parts(0)
        pretrain(
            encoder,
            projection,
            self.around(seed, hardware),
            self.folder / folder,
            labelled=labelled,
            loss=LossConfig(rescale="none"),
            views=views,
            mix=MixConfig(),
            stage=Stage1Config(epochs=epochs, batch_size=12, optimizer=adamw(lr), knn_every=knn_every),
            probe=probe,
        )
        return nn.ModuleDict({"encoder": encoder, "projection": projection})

    def cross_entropy(self, folder: str = "stage1", *, epochs: int = 2, seed: int = 0) -> nn.ModuleDict:
        encoder, _, classifier = self.make_parts(0)
        cross_entropy(
            encoder,
            classifier,
            self.around(seed),
            self.folder / folder,
            views=VIEWS,
            mix=MixConfig(),
            stage=Stage1Config(epochs=epochs, batch_size=12, optimizer=adamw(0.01), knn_every=0),
            probe=nothing,
        )
        return nn.ModuleDict({"encoder": encoder, "classifier": classifier})

    def classify(self, folder: str = "stage2", *, epochs: int = 2, seed: int = 0) -> nn.ModuleDict:
        encoder, _, classifier = self.make_parts(0)
        stage = Stage2Config(epochs=epochs, batch_size=12, optimizer=OptimizerConfig(lr=2.0, weight_decay=0.0))
        classify(encoder, classifier, self.around(seed), self.folder / folder, stage=stage)
        return nn.ModuleDict({"encoder": encoder, "classifier": classifier})

    def rows(self, folder: str) -> dict[int, dict[str, float]]:
        return read_metrics(self.folder / folder / "metrics.csv")


@pytest.fixture
def stages(stripes: ImageData, make_parts: Callable[..., Any], tmp_path: Path) -> Stages:
    return Stages(stripes, make_parts, tmp_path)


def weights(module: nn.Module) -> Weights:
    return {name: tensor.clone() for name, tensor in module.state_dict().items()}


def equal(first: Weights, second: Weights) -> bool:
    return first.keys() == second.keys() and all(torch.equal(first[name], second[name]) for name in first)


# Learning


@pytest.mark.parametrize(("labelled", "precision"), [(True, "32-true"), (False, "32-true"), (True, "bf16-mixed")])
def test_pretraining_reduces_the_loss(stages: Stages, labelled: bool, precision: Any) -> None:
    stages.pretrain(epochs=10, labelled=labelled, hardware=HardwareConfig(device="cpu", precision=precision))
    rows = stages.rows("stage1")
    assert list(rows) == list(range(1, 11))
    assert rows[10]["train/loss"] < rows[1]["train/loss"] - 0.3


def test_cross_entropy_reduces_the_loss_and_learns_the_classes(stages: Stages) -> None:
    stages.cross_entropy(epochs=10)
    rows = stages.rows("stage1")
    assert rows[10]["train/loss"] < 0.6 * rows[1]["train/loss"]
    assert rows[10]["train/top1"] > max(0.7, rows[1]["train/top1"])


def test_stage_2_learns_and_leaves_the_encoder_bit_for_bit(stages: Stages) -> None:
    before = weights(stages.make_parts(0)[0])
    module = stages.classify(epochs=8)
    assert equal(before, weights(module["encoder"]))
    assert {"network.stem.1.running_mean", "network.stem.1.num_batches_tracked"} <= set(before)
    rows = stages.rows("stage2")
    assert rows[8]["train/loss"] < rows[1]["train/loss"]


# Equal runs


@pytest.mark.parametrize("stage", ["pretrain", "cross_entropy", "classify"])
def test_the_same_seed_gives_the_same_weights_and_another_does_not(stages: Stages, stage: str) -> None:
    run = getattr(stages, stage)
    first = weights(run("first"))
    torch.rand(7)  # nothing may depend on the state of the global generator
    assert equal(first, weights(run("again")))
    assert not equal(first, weights(run("other", seed=1)))


def test_workers_make_the_same_views_every_time(stages: Stages) -> None:
    views = ViewsConfig(augmentation="crop-flip", crop_area=(0.8, 1.0), engine="per-image")
    first, again = (weights(stages.pretrain(name, views=views)) for name in ("first", "again"))
    assert equal(first, again)
    assert not equal(first, weights(stages.pretrain("batched")))


class StoppedError(Exception):
    """A power cut."""


def stop_after(epochs: int) -> Probe:
    calls: list[None] = []

    def probe(encode: Any) -> Mapping[str, float]:
        calls.append(None)
        if len(calls) > epochs:
            raise StoppedError
        return {"validation/knn_top1": 0.5}

    return probe


class StopIn(Seconds):
    """Cuts the power at the start of an epoch."""

    epoch: int

    def on_train_epoch_start(self, trainer: Trainer, pl_module: LightningModule) -> None:
        super().on_train_epoch_start(trainer, pl_module)
        if trainer.current_epoch == self.epoch:
            raise StoppedError


resumes = pytest.mark.filterwarnings("ignore:Checkpoint directory .* exists and is not empty")


# Workers ask for the first batches before Lightning has said which epoch a resumed run is in.
early_workers = pytest.mark.xfail(reason="fit does not tell the loader's sampler the epoch it resumes at", strict=True)


@resumes
@pytest.mark.parametrize("engine", ["batched", pytest.param("per-image", marks=early_workers)])
def test_an_interrupted_stage_goes_on_as_if_nothing_had_happened(stages: Stages, engine: Any) -> None:
    views = ViewsConfig(augmentation="crop-flip", crop_area=(0.8, 1.0), engine=engine)
    steady = stop_after(99)
    whole = weights(stages.pretrain("whole", epochs=4, probe=steady, views=views))
    with pytest.raises(StoppedError):  # in the third epoch, after its steps and before its checkpoint
        stages.pretrain("cut", epochs=4, probe=stop_after(2), views=views)
    assert list(stages.rows("cut")) == [1, 2]
    assert equal(whole, weights(stages.pretrain("cut", epochs=4, probe=steady, views=views)))
    tables = {name: stages.rows(name) for name in ("whole", "cut")}
    assert all(row.pop("seconds") > 0 for table in tables.values() for row in table.values())
    assert tables["cut"] == tables["whole"]
    assert list(tables["cut"]) == [1, 2, 3, 4]


@resumes
@pytest.mark.parametrize("stage", ["cross_entropy", "classify"])
def test_a_stage_interrupted_twice_goes_on_as_well(stages: Stages, stage: str, monkeypatch: pytest.MonkeyPatch) -> None:
    run = getattr(stages, stage)
    whole = weights(run("whole", epochs=3))
    with monkeypatch.context() as patch:
        patch.setattr("supcon.stages.train.Seconds", StopIn)
        for StopIn.epoch in (1, 2):
            with pytest.raises(StoppedError):
                run("cut", epochs=3)
    assert equal(whole, weights(run("cut", epochs=3)))


@resumes
def test_a_finished_stage_is_loaded_and_not_trained_again(stages: Stages) -> None:
    first = weights(stages.pretrain(epochs=2))
    table = (stages.folder / "stage1" / "metrics.csv").read_text()
    assert equal(first, weights(stages.pretrain(epochs=2, probe=stop_after(0))))
    assert (stages.folder / "stage1" / "metrics.csv").read_text() == table


def test_only_the_last_checkpoint_is_kept(stages: Stages) -> None:
    stages.pretrain(epochs=3)
    files = sorted(path.relative_to(stages.folder).as_posix() for path in stages.folder.rglob("*") if path.is_file())
    assert files == ["stage1/checkpoints/last.ckpt", "stage1/metrics.csv"]


# What is measured and said on the way


def test_every_row_has_its_own_measures(stages: Stages) -> None:
    values = iter([0.25, 0.5])
    stages.pretrain(epochs=4, probe=lambda encode: {"validation/knn_top1": next(values)}, knn_every=2)
    rows = stages.rows("stage1")
    assert [row.get("validation/knn_top1") for row in rows.values()] == [None, 0.25, None, 0.5]
    assert all(row["train/loss"] > 0 and row["seconds"] > 0 for row in rows.values())


def test_the_probe_gets_the_encoder_and_changes_nothing(stages: Stages) -> None:
    def probe(encode: Any) -> Mapping[str, float]:
        assert not encode.training
        assert encode(stages.data.validation.images).shape == (9, 32)
        return {}

    with_probe = weights(stages.pretrain("with", probe=probe))
    assert equal(with_probe, weights(stages.pretrain("without", knn_every=0)))


def test_the_collapsed_value_is_said_at_the_start_and_not_at_the_end(
    stages: Stages, capsys: pytest.CaptureFixture[str]
) -> None:
    stages.pretrain(epochs=4)
    said = capsys.readouterr().err
    assert "24 rows" in said
    assert "3.135" in said  # log(23)
    assert "the encoder has collapsed" not in said


def test_a_collapsed_encoder_is_told_of(stages: Stages, capsys: pytest.CaptureFixture[str]) -> None:
    # So small a step that nothing moves, from a projection that gives every image the same direction.
    real = stages.make_parts

    def collapsed(seed: int) -> Any:
        encoder, projection, classifier = real(seed)
        nn.init.zeros_(projection.layers[2].weight)
        return encoder, projection, classifier

    stages.make_parts = collapsed
    stages.pretrain(epochs=5, lr=1e-12)
    assert capsys.readouterr().err.count("the encoder has collapsed") == 1


# What goes wrong


def test_a_loss_that_is_no_number_stops_the_stage_before_its_checkpoint(stages: Stages) -> None:
    with pytest.raises(WorkError, match=r"^The loss became (nan|inf) at step \d+: the learning rate is probably too"):
        stages.pretrain(epochs=4, lr=1e30)
    assert [path for path in stages.folder.rglob("*") if path.is_file()] == []


def test_a_batch_larger_than_the_training_set_is_refused(stages: Stages) -> None:
    encoder, _, classifier = stages.make_parts(0)
    with pytest.raises(RequestError, match="The batch size 64 is larger than the training set of 36 images"):
        classify(encoder, classifier, stages.around(0), stages.folder, stage=Stage2Config(batch_size=64))


# What is known to go wrong and has to be mended in the stages


@pytest.mark.xfail(reason="only `teardown` closes the bar, which Lightning leaves out after an error", strict=True)
def test_the_bar_is_closed_when_the_work_fails(stages: Stages, monkeypatch: pytest.MonkeyPatch) -> None:
    open_bars: list[str] = []

    @contextmanager
    def bar(description: str, total: int, unit: str = "") -> Iterator[Callable[..., None]]:
        open_bars.append(description)
        yield lambda **_: None
        open_bars.remove(description)

    monkeypatch.setattr("supcon.stages.watch.bar", bar)
    with pytest.raises(StoppedError):
        stages.pretrain(probe=stop_after(0))
    assert open_bars == []


@pytest.mark.xfail(reason="Lightning turns Ctrl-C into an exit that no sentence explains", strict=True)
def test_stopping_by_hand_reaches_the_command(stages: Stages) -> None:
    def stop(encode: Any) -> Mapping[str, float]:
        raise KeyboardInterrupt

    with pytest.raises((KeyboardInterrupt, SystemExit)) as caught:
        stages.pretrain(probe=stop)
    assert caught.type is KeyboardInterrupt


@pytest.mark.xfail(reason="the collapsed value is computed without labels: 0 with one view", strict=True)
@pytest.mark.filterwarnings("ignore:no row has a positive")
def test_one_view_will_do_with_labels(stages: Stages) -> None:
    stages.pretrain(views=ViewsConfig(augmentation="crop-flip", count=1))
    assert list(stages.rows("stage1")) == [1, 2]


@resumes
@pytest.mark.xfail(reason="a checkpoint that cannot be read is not caught", strict=True)
@pytest.mark.parametrize("content", [b"", b"no checkpoint"])
def test_a_damaged_checkpoint_is_named(stages: Stages, content: bytes) -> None:
    stages.pretrain(epochs=2)
    path = stages.folder / "stage1" / "checkpoints" / "last.ckpt"
    path.write_bytes(content)
    with pytest.raises((RequestError, WorkError), match=str(path)):
        stages.pretrain(epochs=2)
