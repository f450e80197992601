"""The plots of experiments, as values."""

from experiments.conftest import Measured
from supcon.experiments import EXPERIMENTS, charts_of


def test_every_experiment_has_a_chart(measured: Measured) -> None:
    severities = {f"corruptions__severity_{s}__mean_top1": 0.5 for s in range(1, 6)}
    severities |= {f"corruptions__severity_{s}__mean_ece": 0.1 for s in range(1, 6)}
    sets = {f"corruptions__fog__{s}__top1": 0.5 for s in range(1, 6)}
    looks = {
        f"gradients__{prefix}{kind}_hard_to_easy": 2.0
        for prefix in ("", "epoch_1__", "epoch_2__")
        for kind in ("positives", "negatives")
    }
    extras = {"transfer__digits__fine_tune__top1": 0.9, "test__ece": 0.1, **severities, **sets, **looks}
    for name in EXPERIMENTS:
        charts = charts_of(measured(name, (0,), **extras))
        assert charts, name
        for chart in charts:
            assert all(series.points for series in chart.series), name
