"""Mean corruption error and relative mCE (Hendrycks and Dietterich, 2019): errors relative to a baseline's.

Does not import torch. Errors are looked up by the corruption's name: one public script pairs the baseline's errors with
the corruptions in a different order and reports wrong values.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from supcon.base.errors import RequestError
from supcon.evaluation.corruptions.parameters import CORRUPTIONS

Errors = Mapping[str, Sequence[float]]
"""For every corruption, the top-1 error (0..1) at each severity."""


@dataclass(frozen=True, kw_only=True)
class CorruptionBaseline:
    """The model whose errors divide those of a run."""

    name: str
    """Name in the output."""
    clean: float
    """Error on the clean images."""
    errors: Mapping[str, float]
    """Error on every corruption, averaged over its severities."""


ALEXNET = CorruptionBaseline(
    name="AlexNet on ImageNet-C (published)",
    clean=0.4348,
    errors={
        "gaussian_noise": 0.886428,
        "shot_noise": 0.894468,
        "impulse_noise": 0.922640,
        "defocus_blur": 0.819880,
        "glass_blur": 0.826268,
        "motion_blur": 0.785948,
        "zoom_blur": 0.798360,
        "snow": 0.866816,
        "frost": 0.826572,
        "fog": 0.819324,
        "brightness": 0.564592,
        "contrast": 0.853204,
        "elastic_transform": 0.646056,
        "pixelate": 0.717840,
        "jpeg_compression": 0.606500,
    },
)
"""The errors that the benchmark's authors publish, for ImageNet only."""


def run_as_baseline(name: str, clean_error: float, errors: Errors) -> CorruptionBaseline:
    """Another run as the baseline, for data sets without published errors."""
    means = {corruption: _mean(corruption, values) for corruption, values in errors.items()}
    return CorruptionBaseline(name=name, clean=clean_error, errors=means)


def corruption_error(errors: Sequence[float], corruption: str, baseline: CorruptionBaseline) -> float:
    """CE: the error over all severities of one corruption, divided by the baseline's; 1 is equal to the baseline."""
    return _ratio(_mean(corruption, errors), _baseline_error(corruption, baseline), corruption, baseline)


def mean_corruption_error(
    errors: Errors, baseline: CorruptionBaseline = ALEXNET, corruptions: Sequence[str] = CORRUPTIONS
) -> float:
    """mCE: the mean over the 15 corruptions of each one's CE; published values are 100 times this.

    >>> round(mean_corruption_error({name: [error] * 5 for name, error in ALEXNET.errors.items()}), 6)
    1.0
    """
    return sum(corruption_error(_of(errors, name), name, baseline) for name in corruptions) / len(corruptions)


def relative_mean_corruption_error(
    errors: Errors,
    clean_error: float,
    baseline: CorruptionBaseline = ALEXNET,
    corruptions: Sequence[str] = CORRUPTIONS,
) -> float:
    """Relative mCE: like mCE, but for the increase of the error over that on clean images."""
    ratios = [
        _ratio(
            _mean(name, _of(errors, name)) - clean_error,
            _baseline_error(name, baseline) - baseline.clean,
            name,
            baseline,
        )
        for name in corruptions
    ]
    return sum(ratios) / len(ratios)


def _of(errors: Errors, corruption: str) -> Sequence[float]:
    if corruption not in errors:
        raise RequestError(f"There are no errors for the corruption {corruption}; evaluate it, or leave it out.")
    return errors[corruption]


def _mean(corruption: str, values: Sequence[float]) -> float:
    if not values or not all(0 <= value <= 1 for value in values):
        raise RequestError(
            f"The errors of {corruption} must be shares between 0 and 1, one for each severity, got {list(values)}."
        )
    return sum(values) / len(values)


def _baseline_error(corruption: str, baseline: CorruptionBaseline) -> float:
    if corruption not in baseline.errors:
        raise RequestError(
            f"The baseline {baseline.name} has no error for the corruption {corruption}; choose one that was "
            "evaluated on it."
        )
    return baseline.errors[corruption]


def _ratio(value: float, unit: float, corruption: str, baseline: CorruptionBaseline) -> float:
    if unit <= 0:
        raise RequestError(
            f"The baseline {baseline.name} loses no accuracy to the corruption {corruption}, so there is no "
            "error to divide by; choose a weaker baseline."
        )
    return value / unit
