"""Table 4 as values."""

from supcon.data.catalogue import CATALOGUE
from supcon.report.tables.published_transfer import PRINTED_MEANS, ROWS, TABLE_4


def test_the_data_sets_are_the_twelve_of_the_catalogue() -> None:
    assert set(TABLE_4) == {entry.name for entry in CATALOGUE if entry.transfer}
    assert all(len(values) == len(ROWS) for values in TABLE_4.values())


def test_the_printed_means_are_not_those_of_the_columns() -> None:
    means = [round(sum(column) / 12, 2) for column in zip(*TABLE_4.values(), strict=True)]
    assert means == [84.85, 85.07, 85.52, 86.32, 86.37]
    assert PRINTED_MEANS == (84.27, 84.67, 84.81, 85.67, 85.77)
