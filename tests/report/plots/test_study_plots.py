from dataclasses import replace

from supcon.report import RunResults, build_comparison, studies


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
    (study,) = studies(runs)
    assert study.setting_title == "share of wrong training labels"
    assert study.values == [0, 0.2, 0.4]
    assert {line.title: study.row(line) for line in study.lines} == {
        "supervised contrastive learning": ["90.00\xa0%", "–", "75.00\xa0% ± 7.07"],
        "cross-entropy": ["90.00\xa0%", "60.00\xa0%", "–"],
    }
    assert "Label noise: accuracy by share of wrong training labels" in build_comparison(runs)
    assert "Label noise" not in build_comparison([digits_run, baseline_run])
