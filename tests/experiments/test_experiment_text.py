"""The Markdown of an experiment and of the overview."""

from dataclasses import replace

from experiments.conftest import Measured
from supcon.experiments import (
    experiment_markdown,
    overview_markdown,
)


def test_the_text_says_what_a_reader_needs(measured: Measured) -> None:
    results = measured("loss-variants")
    text = experiment_markdown(results, "supcon reproduce loss-variants --scale smoke", ["loss-variants.svg"])
    for part in (
        "Table 1",
        "**",
        "| L_out (Eq. 2) |",
        "![loss-variants](loss-variants.svg)",
        "a processor",
        "seeds 0, 1",
    ):
        assert part in text
    assert "supcon reproduce loss-variants --scale smoke" in text
    assert "commits 0123456789." in text
    overview = overview_markdown([results], ["queue"])
    assert "[loss-variants](loss-variants.md)" in overview
    assert "Not run at this scale: `queue`." in overview


def test_seeds_of_other_tables_are_named(measured: Measured) -> None:
    results = measured("loss-variants")
    fewer = replace(results, request=replace(results.request, seeds=(0,)))
    assert "Cells with seeds 1 were run for other tables" in experiment_markdown(fewer, "", [])
    assert "other tables" not in experiment_markdown(results, "", [])
