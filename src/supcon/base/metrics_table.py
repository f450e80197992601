"""`metrics.csv`: one row per epoch, one column per metric; a cell is empty if a metric was not measured."""

import csv
import io
from collections.abc import Mapping
from pathlib import Path

from supcon.base.bounded_reading import read_text
from supcon.base.errors import RequestError

MetricsTable = dict[int, dict[str, float]]
"""Metrics by name, by epoch; epochs count from 1."""

_ADVICE = "delete it, which loses the curves of the epochs before"


def metrics_text(table: Mapping[int, Mapping[str, float]]) -> str:
    """The table as CSV."""
    names = sorted({name for row in table.values() for name in row})
    text = io.StringIO()
    writer = csv.DictWriter(text, ["epoch", *names], restval="", lineterminator="\n")
    writer.writeheader()
    writer.writerows({"epoch": epoch, **row} for epoch, row in sorted(table.items()))
    return text.getvalue()


def read_metrics(path: Path) -> MetricsTable:
    """Reads `metrics.csv`; an empty table if there is no file."""
    if not path.exists():
        return {}
    try:
        return parse_metrics(read_text(path, _ADVICE))
    except (ValueError, csv.Error) as error:
        if isinstance(error, RequestError):
            raise
        raise RequestError(f"{path} is damaged ({error}); {_ADVICE}.") from error


def parse_metrics(text: str) -> MetricsTable:
    """The inverse of `metrics_text`; ValueError if the text is no such table."""
    rows = csv.DictReader(io.StringIO(text, newline=""))
    if "epoch" not in (rows.fieldnames or ()):
        raise ValueError("it has no column epoch")
    table: MetricsTable = {}
    for number, row in enumerate(rows, 2):
        if None in row or None in row.values():
            raise ValueError(f"line {number} does not have {len(rows.fieldnames or ())} cells")
        epoch = int(row.pop("epoch"))
        table[epoch] = {name: float(value) for name, value in row.items() if value != ""}
    return table
