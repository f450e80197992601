import pytest

from supcon.base.errors import RequestError
from supcon.jobs.evaluation.unused_options import EvaluatedOn, refuse_unused


@pytest.mark.parametrize(
    ("on", "used"),
    [
        ("own test images", {"--k", "--knn-temperature"}),
        ("computed corruptions", {"--baseline", "--corruptions", "--severities", "--seed", "--frost"}),
        ("published corruptions", {"--baseline", "--corruptions", "--severities"}),
        ("other data", {"--data-root"}),
    ],
)
def test_an_option_is_refused_where_it_has_no_effect(on: EvaluatedOn, used: set[str]) -> None:
    corrupted = {"--baseline", "--corruptions", "--severities", "--seed", "--frost"}
    options = {*corrupted, "--k", "--knn-temperature", "--data-root"}
    refuse_unused(on, used)
    for option in options - used:
        with pytest.raises(RequestError, match=rf"^{option} is for .* only; .*--on.*\.$"):
            refuse_unused(on, {*used, option})
