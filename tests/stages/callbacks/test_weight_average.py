from collections.abc import Mapping
from typing import Any

import pytest
import torch
from torch import nn

from references.whole_stages import Stages, adamw, equal, weights
from supcon.stages.callbacks.weight_average import WeightAverage
from supcon.stages.config import OptimizerConfig


def test_it_is_the_formula_for_weights_and_batch_norm_averages() -> None:
    torch.manual_seed(0)
    network = nn.Sequential(nn.Linear(2, 3), nn.BatchNorm1d(3)).double()
    average = WeightAverage([network], 0.6)
    expected: dict[str, torch.Tensor] = {}
    for step in range(9):
        with torch.no_grad():
            for parameter in network.parameters():
                parameter.add_(torch.randn_like(parameter))
        network(torch.randn(4, 2).double())  # moves the batch-norm averages
        average.update()
        decay = min(0.6, (1 + step) / (10 + step))
        now = network.state_dict()
        for name, value in now.items():
            if step == 0 or not value.is_floating_point():
                expected[name] = value.clone()
            else:
                expected[name] = decay * expected[name] + (1 - decay) * value
    assert {name.removeprefix("0.") for name in average.average} == set(expected)
    for name, value in expected.items():
        assert torch.allclose(average.average[f"0.{name}"], value, atol=1e-12)
    assert average.average["0.1.num_batches_tracked"] == 9


def test_the_average_stands_in_place_for_a_while_and_training_goes_on_with_the_weights() -> None:
    network = nn.Linear(2, 2)
    average = WeightAverage([network], 0.9)
    average.update()
    first = weights(network)
    nn.init.zeros_(network.weight)
    with average.in_place():
        assert equal(weights(network), first)
    assert (network.weight == 0).all()


def options(**changes: Any) -> OptimizerConfig:
    return OptimizerConfig(name="adamw", lr=0.01, warmup_epochs=0.5, **changes)


def test_a_stage_ends_with_the_average_and_trains_as_it_would_without(stages: Stages) -> None:
    plain = weights(stages.pretrain("plain", optimizer=adamw(0.01)))
    averaged = weights(stages.pretrain("averaged", optimizer=options(ema_decay=0.9)))
    heads = [name for name in plain if name.startswith("projection")]
    assert all(torch.equal(plain[name], averaged[name]) for name in heads)  # thrown away, so not averaged
    assert not torch.equal(plain["encoder.network.stem.0.weight"], averaged["encoder.network.stem.0.weight"])
    assert [row["train/loss"] for row in stages.rows("plain").values()] == [
        row["train/loss"] for row in stages.rows("averaged").values()
    ]


def test_the_probe_measures_the_average(stages: Stages) -> None:
    seen = []

    def probe(encode: Any) -> Mapping[str, float]:
        seen.append(weights(encode))
        return {}

    trained = stages.pretrain(optimizer=options(ema_decay=0.9), probe=probe)
    assert equal(seen[-1], weights(trained["encoder"]))


def test_the_average_survives_an_interruption_bit_for_bit(stages: Stages) -> None:
    chosen = options(ema_decay=0.95, clip_norm=0.1)
    calls: list[None] = []

    def cut(encode: Any) -> Mapping[str, float]:
        calls.append(None)
        if len(calls) == 2:
            raise KeyboardInterrupt
        return {}

    whole = weights(stages.pretrain("whole", epochs=3, optimizer=chosen))
    with pytest.raises(KeyboardInterrupt):
        stages.pretrain("cut", epochs=3, optimizer=chosen, probe=cut)
    assert equal(whole, weights(stages.pretrain("cut", epochs=3, optimizer=chosen)))
    # A stage that was over already hands the average on as well.
    assert equal(whole, weights(stages.pretrain("cut", epochs=3, optimizer=chosen)))
