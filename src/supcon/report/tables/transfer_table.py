"""Results of transfer to other data sets, next to those of the paper's Table 4."""

from collections.abc import Mapping
from dataclasses import dataclass

from supcon.report.tables.measure_names import PROTOCOLS, describe
from supcon.report.tables.published_transfer import ROWS, TABLE_4

METRICS = {"top1": "accuracy", "mean_per_class": "mean per-class accuracy", "map_11_point": "mAP, 11 points"}


@dataclass(frozen=True, kw_only=True)
class TransferRow:
    """One data set under one protocol."""

    data: str
    protocol: str
    metric: str
    value: str
    interval: str
    remark: str
    """Steps, grid and the chosen hyperparameters."""
    published: tuple[str, ...]
    """The paper's values, one for each of `ROWS`; empty if the paper has none for this set and protocol."""


def transfer_rows(measures: Mapping[str, float], remarks: Mapping[str, str]) -> list[TransferRow]:
    """A row for every transfer among the metrics, in the order in which they were made."""
    return [_row(name, measures, remarks) for name in measures if name.startswith("transfer/") and _is_metric(name)]


def _is_metric(name: str) -> bool:
    return name.rpartition("/")[2] in METRICS


def _row(name: str, measures: Mapping[str, float], remarks: Mapping[str, str]) -> TransferRow:
    _, data, protocol, metric = name.split("/")
    measure = describe(name)
    ends = [measures[f"{name}_{end}"] for end in ("low", "high") if f"{name}_{end}" in measures]
    published = TABLE_4.get(data) if protocol == "fine_tune" else None
    return TransferRow(
        data=data,
        protocol=PROTOCOLS.get(protocol, protocol),
        metric=METRICS[metric],
        value=measure.text(measures[name]),
        interval=" to ".join(map(measure.text, ends)),
        remark=remarks.get(f"transfer/{data}/{protocol}/protocol", ""),
        published=tuple(f"{value:.2f}\N{NO-BREAK SPACE}%" for value in published) if published else ("",) * len(ROWS),
    )
