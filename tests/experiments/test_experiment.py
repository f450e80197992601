"""The parts of a claim."""

from supcon.experiments import EXPERIMENTS, SCALES
from supcon.experiments.experiment import above, on_par


def test_one_name_or_several_are_compared() -> None:
    assert above("a", ["b", "c"]).second == ("b", "c")
    assert above("a", "b").on_par_within is None
    comparison = on_par("a", "b", 0.01, "test/ece")
    assert (comparison.first, comparison.on_par_within, comparison.measure) == (("a",), 0.01, "test/ece")


def test_every_experiment_says_what_it_is() -> None:
    for name, experiment in EXPERIMENTS.items():
        assert experiment.name == name
        assert experiment.claim.endswith((".", ")."))
        assert experiment.where.startswith(("Table", "Fig.", "Sec.", "Supp.", "Ours"))
        # Lines need positions on their axis.
        if experiment.chart == "lines":
            assert experiment.axis
            assert all(setting.at != "" for setting in experiment.settings(SCALES["smoke"]))
