"""Checks the values of `supcon evaluate`, before torch is imported and any image is read."""

from collections.abc import Sequence

from supcon.base.errors import RequestError
from supcon.evaluation import SEVERITIES


def check_evaluation(bins: int, severities: Sequence[int], k: int | None, knn_temperature: float) -> None:
    """Raises an error for a value that cannot be."""
    if bins < 1:
        raise RequestError(f"--bins must be at least 1, got {bins}.")
    if not severities or any(severity not in SEVERITIES for severity in severities):
        raise RequestError(f"--severities must be between 1 and 5, got {list(severities)}.")
    if (k is not None and k < 1) or not knn_temperature > 0:
        raise RequestError(f"--k must be at least 1 and --knn-temperature above 0, got {k} and {knn_temperature}.")
