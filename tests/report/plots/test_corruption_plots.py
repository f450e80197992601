import math
from collections.abc import Callable
from dataclasses import replace

import pytest

from supcon.report import RunResults, build_comparison, build_report, comparison_markdown, report_markdown
from supcon.report.plots.corruption_comparison import severity_comparison
from supcon.report.plots.corruption_plots import corruptions_of, heat_plots, severity_plots
from supcon.report.tables.pooling import group_runs


def corrupted(run: RunResults, accuracy: float) -> RunResults:
    """A run that loses a tenth with every severity."""
    measures = dict(run.measures)
    for name in ("fog", "jpeg_compression"):
        for severity in (1, 3):
            measures[f"corruptions/{name}/{severity}/top1"] = accuracy - severity / 10
            measures[f"corruptions/{name}/{severity}/ece"] = severity / 10
    for severity in (1, 3):
        measures[f"corruptions/severity_{severity}/mean_top1"] = accuracy - severity / 10
        measures[f"corruptions/severity_{severity}/mean_ece"] = severity / 10
    return replace(run, measures=measures, remarks={"corruptions/set": "made <on> the fly"})


def test_a_run_without_them_has_no_section(digits_run: RunResults) -> None:
    assert corruptions_of(digits_run) is None
    assert "Under corruptions" not in build_report(digits_run)


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


def test_comparisons_show_the_course_and_not_every_severity(
    digits_run: RunResults, baseline_run: RunResults, repeat_run: Callable[..., RunResults]
) -> None:
    runs = [corrupted(digits_run, 0.9), corrupted(baseline_run, 0.8)]
    accuracy, _ = severity_comparison(group_runs(runs))
    assert [trace["y"][1:] for trace in accuracy.figure["data"]] == [pytest.approx([80, 60]), pytest.approx([70, 50])]
    page = build_comparison(runs)
    assert "Accuracy under corruptions, by severity" in page
    assert "Fog, severity 3" not in page
    assert severity_comparison(group_runs([runs[0], baseline_run])) == []


def test_studies_are_lines_of_runs_that_differ_by_one_setting(digits_run: RunResults, baseline_run: RunResults) -> None:
    def noisy(run: RunResults, noise: float, top1: float, seed: int) -> RunResults:
        recipe = {**run.recipe, "seed": seed, "data": {**run.recipe["data"], "label_noise": noise}}
        return replace(
            run, name=f"{run.name}-{noise}-{seed}", recipe=recipe, measures={**run.measures, "test/top1": top1}
        )

    runs = [
        *(noisy(digits_run, noise, top1, 0) for noise, top1 in ((0.0, 0.9), (0.4, 0.8))),
        noisy(digits_run, 0.4, 0.7, 1),
        *(noisy(baseline_run, noise, top1, 0) for noise, top1 in ((0.0, 0.9), (0.2, 0.6))),
    ]
    text = comparison_markdown(runs)
    assert "| share of wrong training labels | 0 | 0.2 | 0.4 |" in text
    assert "| supervised contrastive learning | 90.00\xa0% | – | 75.00\xa0% ± 7.07 |" in text
    assert "| cross-entropy | 90.00\xa0% | 60.00\xa0% | – |" in text
    assert "Label noise: accuracy by share of wrong training labels" in build_comparison(runs)
    assert "Label noise" not in build_comparison([digits_run, baseline_run])
