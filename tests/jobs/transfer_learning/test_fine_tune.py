import pytest
import torch
from torch import nn

from supcon.data.config import DataConfig
from supcon.data.image_data import Split
from supcon.data.load import load_data
from supcon.encoder.encoder import Encoder, make_encoder
from supcon.jobs.transfer_learning.config import Candidate, TransferConfig
from supcon.jobs.transfer_learning.fine_tune import (
    backward_in_parts,
    fine_tune,
    make_optimizer,
    set_batch_norm_momentum,
)
from supcon.jobs.transfer_learning.transfer_network import Transferred


def encoder(channels: int = 1) -> Encoder:
    torch.manual_seed(0)
    return make_encoder(
        "small-resnet", channels=channels, image_size=8, mean=[0.3] * channels, std=[0.4] * channels, width=8
    )


@pytest.mark.parametrize(("steps", "kept"), [(10, 0.9), (100, 0.9), (1000, 0.99), (50, 0.9), (400, 0.975)])
def test_batch_norm_keeps_what_the_protocol_says(steps: int, kept: float) -> None:
    """The protocol names the share of the old average; torch's momentum is the share of the new one."""
    layer = nn.BatchNorm1d(1)
    set_batch_norm_momentum(nn.Sequential(layer), steps)
    layer(torch.full((4, 1), 10.0))
    assert layer.running_mean is not None
    assert layer.running_mean.item() == pytest.approx(10 * (1 - kept))


def test_parts_of_a_batch_keep_as_much_together_as_the_whole() -> None:
    layer = nn.BatchNorm1d(1)
    set_batch_norm_momentum(nn.Sequential(layer), 100, parts=4)
    for _ in range(4):
        layer(torch.full((4, 1), 10.0))
    assert layer.running_mean is not None
    assert layer.running_mean.item() == pytest.approx(10 * (1 - 0.9))


@pytest.mark.parametrize("several_labels", [False, True])
def test_parts_add_up_to_the_gradient_of_the_whole_batch(several_labels: bool) -> None:
    """In evaluation mode, in which batch norm uses its averages."""
    model = Transferred(encoder(), 10, normalize=False).double().eval()
    model.encoder.double()
    images = torch.randint(256, (11, 1, 8, 8), dtype=torch.uint8)
    labels = torch.randint(-1, 2, (11, 10)) if several_labels else torch.randint(10, (11,))
    gradients, losses = [], []
    for parts in (1, 4):
        model.zero_grad()
        losses.append(backward_in_parts(model, images, labels, parts).item())
        gradients.append([parameter.grad for parameter in model.parameters() if parameter.grad is not None])
    assert losses[0] == pytest.approx(losses[1], rel=1e-5)
    for whole, parted in zip(*gradients, strict=True):
        assert torch.allclose(whole, parted, rtol=1e-4, atol=1e-6)


def test_no_more_than_a_micro_batch_goes_through_the_network(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = []
    forward = Transferred.forward

    def seen(self: Transferred, images: torch.Tensor) -> torch.Tensor:
        rows.append(len(images))
        return forward(self, images)

    monkeypatch.setattr(Transferred, "forward", seen)
    data = load_data(DataConfig())
    few = Split(images=data.train.images[:64], labels=data.train.labels[:64])
    fine_tune(encoder(), 10, few, 8, TransferConfig(steps=2, batch_size=33, micro_batch=16), Candidate(0.1))
    assert rows == [11, 11, 11] * 2


def test_the_weight_decay_is_divided_by_the_learning_rate() -> None:
    model = Transferred(encoder(), 10, normalize=False)
    optimizer = make_optimizer(model, Candidate(0.01, 1e-5))
    assert [group["weight_decay"] for group in optimizer.param_groups] == [pytest.approx(1e-3), 0.0]
    assert all(group["nesterov"] and group["momentum"] == 0.9 for group in optimizer.param_groups)
    assert all(parameter.ndim > 1 for parameter in optimizer.param_groups[0]["params"])


def test_it_learns_and_leaves_the_run_alone() -> None:
    start = encoder()
    before = {name: value.clone() for name, value in start.state_dict().items()}
    data, done = load_data(DataConfig()), []
    config = TransferConfig(steps=60, batch_size=128, flip_probability=0, crop_area=(0.6, 1.0))
    model = fine_tune(
        start,
        10,
        data.train,
        8,
        config,
        Candidate(0.1),
        advance=lambda steps, **_: done.append(steps),
    )
    with torch.inference_mode():
        accuracy = (model(data.validation.images).argmax(1) == data.validation.labels).double().mean()
    assert accuracy > 0.7
    assert sum(done) == 60
    assert not model.training
    assert all(torch.equal(value, before[name]) for name, value in start.state_dict().items())


def test_the_seed_fixes_it() -> None:
    data = load_data(DataConfig())
    few = Split(images=data.train.images[:64], labels=data.train.labels[:64])
    config = TransferConfig(steps=3, batch_size=32)
    first, again, other = (
        fine_tune(encoder(), 10, few, 8, config, Candidate(0.1), seed=seed).classifier.weight for seed in (0, 0, 1)
    )
    assert torch.equal(first, again)
    assert not torch.equal(first, other)


def test_a_rate_that_is_too_high_ends_early_without_numbers() -> None:
    data, done = load_data(DataConfig()), []
    config = TransferConfig(steps=40, batch_size=64)
    model = fine_tune(
        encoder(),
        10,
        data.train,
        8,
        config,
        Candidate(1e20),
        advance=lambda steps, **_: done.append(steps),
    )
    assert sum(done) == 40
    assert not torch.isfinite(model(data.test.images[:4])).all()
