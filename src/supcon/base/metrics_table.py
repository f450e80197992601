"""`metrics.csv`: one row per epoch, one column per metric; a cell is empty if a metric was not measured."""

import csv
import io
from collections.abc import Mapping
from pathlib import Path

MetricsTable = dict[int, dict[str, float]]
"""Metrics by name, by epoch; epochs count from 1."""


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
    with path.open(newline="", encoding="utf-8") as file:
        return {
            int(row.pop("epoch")): {name: float(value) for name, value in row.items() if value != ""}
            for row in csv.DictReader(file)
        }
