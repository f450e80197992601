"""Which callbacks a stage gets."""

from torch import nn

from supcon.stages.callbacks.probe_encoder import ProbeEncoder
from supcon.stages.callbacks.step_callbacks import step_callbacks
from supcon.stages.callbacks.weight_average import WeightAverage
from supcon.stages.config import OptimizerConfig


def test_an_average_only_with_a_decay_and_a_probe_only_if_given() -> None:
    def probe(encode: object) -> dict[str, float]:
        return {}

    plain, averaged = OptimizerConfig(), OptimizerConfig(ema_decay=0.9)
    deployed = [nn.Linear(2, 2)]
    assert step_callbacks(plain, deployed) == []
    (only,) = step_callbacks(plain, deployed, probe, 3)
    assert isinstance(only, ProbeEncoder)
    assert (only.probe, only.every) == (probe, 3)
    average, measured = step_callbacks(averaged, deployed, probe, 3)
    assert isinstance(average, WeightAverage)
    assert isinstance(measured, ProbeEncoder)
    assert measured.probe is not probe  # it measures the average
