import math
from dataclasses import replace

import pytest

from references.corrupted_results import corrupted
from supcon.report import RunResults, build_report, report_markdown
from supcon.report.plots.corruption_plots import corruptions_of, heat_plots, severity_plots


def test_a_run_without_them_has_no_section(digits_run: RunResults) -> None:
    assert corruptions_of(digits_run) is None
    assert 'id="corruptions"' not in build_report(digits_run)
    assert 'id="corruptions"' in build_report(corrupted(digits_run, 0.9))


def test_the_figures_are_found_by_their_names(digits_run: RunResults) -> None:
    found = corruptions_of(corrupted(digits_run, 0.9))
    assert found is not None
    assert found.severities == [1, 3]
    fog, jpeg = found.rows
    assert (fog.title, jpeg.title) == ("Fog", "JPEG compression")
    assert fog.accuracy == pytest.approx([0.8, 0.6])
    assert fog.mean_accuracy == pytest.approx(0.7)
    assert math.isnan(fog.corruption_error)
    assert not found.has_unit


def test_plots_begin_with_the_clean_images(digits_run: RunResults) -> None:
    found = corruptions_of(corrupted(digits_run, 0.9))
    assert found is not None
    accuracy, _ = severity_plots(found)
    mean = accuracy.figure["data"][-1]
    assert mean["x"] == [0, 1, 3]
    assert mean["y"] == pytest.approx([100 * digits_run.measures["test/top1"], 80, 60], rel=1e-4)
    heat, _ = heat_plots(found)
    assert heat.figure["data"][0]["z"] == [pytest.approx([80, 60])] * 2


def test_the_page_says_what_the_unit_is_and_escapes_it(digits_run: RunResults) -> None:
    run = corrupted(digits_run, 0.9)
    page = build_report(run)
    assert "made &lt;on&gt; the fly" in page
    assert "needs the errors of a baseline" in page
    with_unit = replace(
        run,
        measures={**run.measures, "corruptions/mce": 0.672, "corruptions/relative_mce": 0.946},
        remarks={**run.remarks, "corruptions/baseline": "runs/<ce>"},
    )
    page = build_report(with_unit)
    assert "Mean corruption error 67.2, relative 94.6, relative to the errors of runs/&lt;ce&gt;" in page
    text = report_markdown(with_unit)
    assert "Mean corruption error: 67.20\xa0% relative to the errors of runs/\\<ce\\>." in text
