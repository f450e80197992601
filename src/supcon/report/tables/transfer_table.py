"""Results of transfer to other data sets, next to those of the paper's Table 4."""

from collections.abc import Mapping
from dataclasses import dataclass
from statistics import fmean

from supcon.report.tables.measure_names import PROTOCOLS, describe
from supcon.report.tables.published_transfer import PRINTED_MEANS, ROWS, TABLE_4

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
    """A row for every transfer among the metrics, in the order in which they were made, and the means over them."""
    names = [name for name in measures if name.startswith("transfer/") and _is_metric(name)]
    protocols = dict.fromkeys(name.split("/")[2] for name in names)
    means = (_mean([name for name in names if name.split("/")[2] == protocol], measures) for protocol in protocols)
    return [_row(name, measures, remarks) for name in names] + [row for row in means if row is not None]


def _is_metric(name: str) -> bool:
    return name.rpartition("/")[2] in METRICS


def _mean(names: list[str], measures: Mapping[str, float]) -> TransferRow | None:
    """The mean over the sets of one protocol, whatever their metrics, as in Table 4; None for fewer than two sets.

    The paper's values are means over the same sets; empty if the paper does not have all of them.
    """
    if len(names) < 2:
        return None
    sets, protocol = [name.split("/")[1] for name in names], names[0].split("/")[2]
    in_paper = protocol == "fine_tune" and all(data in TABLE_4 for data in sets)
    columns = zip(*(TABLE_4[data] for data in sets), strict=True) if in_paper else ()
    printed = ", ".join(f"{value:.2f}" for value in PRINTED_MEANS)
    whole = in_paper and set(sets) == set(TABLE_4)
    return TransferRow(
        data=f"mean over {len(sets)} sets",
        protocol=PROTOCOLS.get(protocol, protocol),
        metric="mean of the above",
        value=describe(names[0]).text(fmean(measures[name] for name in names)),
        interval="",
        remark=f"the paper prints {printed}, which are not the means of its values" if whole else ", ".join(sets),
        published=tuple(_per_cent(fmean(column)) for column in columns) or ("",) * len(ROWS),
    )


def _per_cent(value: float) -> str:
    return f"{value:.2f}\N{NO-BREAK SPACE}%"


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
        published=tuple(map(_per_cent, published)) if published else ("",) * len(ROWS),
    )
