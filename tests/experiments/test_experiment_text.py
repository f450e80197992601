"""The Markdown of an experiment and of the overview."""

from dataclasses import replace

from experiments.conftest import Measured
from supcon.experiments import differs_text, experiment_markdown, overview_markdown
from supcon.experiments.experiment_text import BESIDES


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


def test_missing_seeds_and_missing_rows_are_told_apart(measured: Measured) -> None:
    results = measured("loss-variants")
    some = experiment_markdown(replace(results, missing=2), "", [])
    assert "2 cells of this command are not run yet; they would give every setting the seeds" in some
    first = replace(results.rows[0], cells=())
    none = experiment_markdown(replace(results, missing=2, rows=(first, *results.rows[1:])), "", [])
    assert "2 cells of this command are not run yet." in none
    assert "there is no verdict yet" in none


def test_what_is_no_part_of_the_claim_stands_apart(measured: Measured) -> None:
    text = experiment_markdown(measured("cross-entropy-budget"), "", [])
    claim, besides = text.split(BESIDES)
    assert "twice the batch, test accuracy" in claim
    assert "one view an image, test accuracy" in besides


def test_other_data_and_another_recipe_are_said_before_what_the_scale_has(measured: Measured) -> None:
    results = measured("loss-variants")
    own = differs_text(results)
    assert own.startswith("1,797 images of digits")
    request = replace(results.request, data="photos/birds/", recipe="cifar10-small")
    text = differs_text(replace(results, request=request))
    assert text.startswith("Made with the recipe cifar10-small and the data birds in place of the scale's own")
    first, *rest = results.rows
    rows = (replace(first, setting=replace(first.setting, recipe="photos")), *rest)
    text = differs_text(replace(results, request=request, rows=rows))
    assert text.startswith("Made with the recipe cifar10-small (not for L_out (Eq. 2)) and the data birds")
    same = replace(results.request, data="digits")
    assert differs_text(replace(results, request=same)) == own
