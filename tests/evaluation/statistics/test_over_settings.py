import math
import statistics

import pytest

from supcon.base.errors import RequestError
from supcon.evaluation import study_curve


def test_runs_of_one_value_are_pooled_and_values_rise() -> None:
    runs = [(0.4, {"test/top1": 0.5}), (0.0, {"test/top1": 0.9}), (0.4, {"test/top1": 0.7}), (0.2, {"test/top1": 0.8})]
    curve = study_curve(runs)
    assert [point.setting for point in curve] == [0.0, 0.2, 0.4]
    assert [point.mean for point in curve] == pytest.approx([0.9, 0.8, 0.6])
    assert [point.runs for point in curve] == [1, 1, 2]
    assert math.isnan(curve[0].deviation)
    assert curve[2].deviation == pytest.approx(statistics.stdev([0.5, 0.7]))


def test_a_run_without_the_measure_is_named() -> None:
    with pytest.raises(
        RequestError,
        match=r"^A run with the value 0\.2 has no metric test/knn_top1; evaluate "
        r"it first\.$",
    ):
        study_curve([(0.2, {"test/top1": 0.5})], "test/knn_top1")
