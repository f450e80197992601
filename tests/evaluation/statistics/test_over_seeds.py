import math

import numpy as np
import pytest

from supcon.base.errors import RequestError
from supcon.evaluation import over_seeds


def test_mean_and_sample_deviation() -> None:
    values = [0.91, 0.93, 0.9]
    found = over_seeds([{"test/top1": value} for value in values])["test/top1"]
    assert found == pytest.approx((np.mean(values), np.std(values, ddof=1), 3))


def test_one_seed_has_no_deviation() -> None:
    found = over_seeds([{"test/top1": 0.5}])["test/top1"]
    assert (found.mean, found.seeds) == (0.5, 1)
    assert math.isnan(found.deviation)


def test_only_what_all_runs_have_in_the_order_of_the_first() -> None:
    assert list(over_seeds([{"b": 1.0, "a": 2.0, "c": 3.0}, {"a": 1.0, "b": 2.0}])) == ["b", "a"]


def test_no_runs_are_refused() -> None:
    with pytest.raises(RequestError, match=r"^Metrics over seeds need at least one run, got none\.$"):
        over_seeds([])
