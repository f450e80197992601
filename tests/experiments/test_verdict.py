"""The test behind a verdict, on made-up cells and against references."""

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial

import numpy as np
import pytest
from scipy.stats import ttest_ind, ttest_rel

from experiments.conftest import MakeCell, Measured
from supcon.experiments import EXPERIMENTS, SCALES, FinishedCell, Request, Results, gather, judge
from supcon.experiments.experiment import above, not_far_below, on_par
from supcon.experiments.results import Row
from supcon.experiments.verdict import difference

LOSS = EXPERIMENTS["loss-variants"]
IMAGES = 2000
SHIFTS = (-0.001, 0.0, 0.001)


def correct(accuracy: float, seed: int) -> np.ndarray:
    """Images of different difficulty, the same for all: what is hard for one is hard for the other."""
    difficulty = np.random.default_rng(0).random(IMAGES)
    noise = np.random.default_rng(seed).normal(0, 0.05, IMAGES)
    return difficulty + noise < accuracy


def results_of(make_cell: MakeCell, first: Sequence[float], second: Sequence[float], images: bool = True) -> Results:
    request = Request(scale=SCALES["smoke"], seeds=tuple(range(len(first))))
    finished: dict[str, FinishedCell] = {}
    for setting, values in zip(request.settings(LOSS), (first, second), strict=True):
        for seed, value in enumerate(values):
            cell = request.cell(setting, {}, seed)
            right = correct(value, 10 * seed + len(finished)) if images else None
            finished[cell.key] = make_cell(cell, right) if images else make_cell(cell, test__top1=value)
    return gather(LOSS, request, finished)


def with_one_encoder(rows: Sequence[Row]) -> list[Row]:
    """The rows as if they differed in stage 2 alone."""
    return [replace(row, encoders=rows[0].encoders) for row in rows]


@pytest.mark.parametrize(
    ("first", "second", "answer"),
    [
        ((0.80, 0.81, 0.80), (0.70, 0.71, 0.70), "held"),
        ((0.70, 0.71, 0.70), (0.80, 0.81, 0.80), "did not hold"),
        ((0.80, 0.75, 0.70), (0.79, 0.74, 0.69), "cannot be told"),
        ((0.80,), (0.40,), "cannot be told"),
    ],
)
def test_three_answers(make_cell: MakeCell, first: Sequence[float], second: Sequence[float], answer: str) -> None:
    verdict = judge(results_of(make_cell, first, second))
    assert verdict.answer == answer
    assert len(verdict.parts) == 1
    if len(first) == 1:
        assert "its spread over seeds is unknown" in verdict.parts[0].sentence


@pytest.mark.parametrize(("measure", "better"), [("test/top1", "second"), ("test/ece", "first")])
def test_the_interval_is_of_the_better_one(make_cell: MakeCell, measure: str, better: str) -> None:
    """In both directions the interval says how far ahead the better one is; of an error the lower value is better."""
    first, second = (0.70, 0.72, 0.71), (0.80, 0.81, 0.82)
    results = results_of(make_cell, first, second, images=False)
    rows = [
        replace(row, cells=tuple(replace(cell, measures={measure: cell.measures["test/top1"]}) for cell in row.cells))
        for row in results.rows
    ]
    names = [row.setting.name for row in rows]
    for (one, other), winner in ((names, better), (names[::-1], {"first": "second", "second": "first"}[better])):
        compared = [above(one, other, measure)]
        experiment = replace(LOSS, comparisons=partial(lambda compared, scale: compared, compared))
        (part,) = judge(replace(results, rows=tuple(rows), experiment=experiment)).parts
        low, high = ttest_ind(second, first, equal_var=False).confidence_interval(0.95)
        assert f"the {winner} is better by 10.00 points (95\N{NO-BREAK SPACE}% interval" in part.sentence
        assert f"interval {100 * low:.2f} to {100 * high:.2f} points" in part.sentence


@pytest.mark.parametrize("second", [(0.78, 0.79, 0.80), (0.70, 0.79, 0.90)])
def test_without_images_it_is_welchs_test(make_cell: MakeCell, second: Sequence[float]) -> None:
    first = (0.80, 0.82, 0.81)
    results = results_of(make_cell, first, second, images=False)
    found = difference(results.rows[:1], results.rows[1:], "test/top1")
    reference = ttest_ind(first, second, equal_var=False)
    assert found.value / found.error == pytest.approx(reference.statistic)
    assert found.freedom == pytest.approx(reference.df)
    low, high = reference.confidence_interval(0.95)
    assert found.half_width(0.05) == pytest.approx((high - low) / 2)


def test_settings_that_share_an_encoder_are_compared_seed_by_seed(make_cell: MakeCell) -> None:
    """The paired t-test of scipy: with each seed both values come from one training of stage 1."""
    first, second = (0.80, 0.75, 0.70), (0.79, 0.74, 0.68)
    results = results_of(make_cell, first, second, images=False)
    shared = with_one_encoder(results.rows)
    found = difference(shared[:1], shared[1:], "test/top1")
    reference = ttest_rel(first, second)
    assert found.value / found.error == pytest.approx(reference.statistic)
    assert found.freedom == reference.df
    assert difference(results.rows[:1], results.rows[1:], "test/top1").error > 5 * found.error


def test_settings_that_share_an_encoder_and_no_two_seeds_cannot_be_compared(make_cell: MakeCell) -> None:
    results = results_of(make_cell, (0.80, 0.75, 0.70), (0.79, 0.74, 0.68), images=False)
    one, other = with_one_encoder(results.rows)
    found = difference([one.with_seeds((0, 1))], [other.with_seeds((1, 2))], "test/top1")
    assert math.isnan(found.error)


@pytest.mark.parametrize("images", [False, True])
def test_settings_that_share_an_encoder_are_compared_with_the_seeds_of_both(make_cell: MakeCell, images: bool) -> None:
    """A third seed of one of them, of another accuracy, is in neither the difference nor its error."""
    results = results_of(make_cell, (0.60, 0.61, 0.90), (0.59, 0.602, 0.88), images=images)
    one, other = with_one_encoder(results.rows)
    both = (0, 1)
    expected = difference([one.with_seeds(both)], [other.with_seeds(both)], "test/top1")
    assert difference([one], [other.with_seeds(both)], "test/top1") == expected
    assert abs(expected.value) < 0.03


def test_seeds_without_any_spread_do_not_make_it_certain(make_cell: MakeCell) -> None:
    """Small test sets have few possible accuracies: equal ones with two seeds do not show that a third has them too."""
    verdict = judge(results_of(make_cell, (0.80, 0.80), (0.79, 0.79), images=False))
    assert verdict.answer == "cannot be told"
    assert "its spread over seeds is unknown" in verdict.parts[0].sentence


def test_a_row_whose_candidates_are_not_all_tried_is_not_compared(make_cell: MakeCell) -> None:
    results = results_of(make_cell, (0.80, 0.81, 0.80), (0.70, 0.71, 0.70))
    first, second = results.rows
    half = replace(second, setting=replace(second.setting, candidates=({}, {"stage1.epochs": 3})))
    verdict = judge(replace(results, rows=(first, half)))
    assert verdict.answer == "not finished"
    assert [part.answer for part in verdict.parts] == ["cannot be told"]
    assert verdict.parts[0].sentence.endswith(": not all of it is measured.")


def test_test_images_make_it_less_sure(make_cell: MakeCell) -> None:
    with_images = results_of(make_cell, (0.80, 0.81, 0.80), (0.79, 0.80, 0.79))
    found = difference(with_images.rows[:1], with_images.rows[1:], "test/top1")
    over_seeds = math.sqrt(sum(float(np.var(row.values("test/top1"), ddof=1)) / 3 for row in with_images.rows))
    assert found.error > over_seeds
    # Paired: smaller than what two independent test sets would give.
    rows = with_images.rows
    unpaired = 0.0
    for row in rows:
        images = row.images("test/top1")
        assert images is not None
        unpaired += float(images.var()) / IMAGES
    assert found.error**2 - over_seeds**2 < unpaired / 2


def test_few_answers_are_wrong_where_nothing_differs(make_cell: MakeCell) -> None:
    """Equal losses with a spread over seeds: a difference beyond its interval in about 5 of 100 cases, not more."""
    results = results_of(make_cell, (0.8, 0.8, 0.8), (0.8, 0.8, 0.8), images=False)
    random, wrong = np.random.default_rng(1), 0
    for _ in range(400):
        values = iter(random.normal(0.8, 0.01, 6))
        rows = [replace(row, cells=tuple(_with(cell, next(values)) for cell in row.cells)) for row in results.rows]
        found = difference(rows[:1], rows[1:], "test/top1")
        wrong += abs(found.value) > found.half_width(0.05)
    assert 6 <= wrong <= 32


def _with(cell: FinishedCell, value: float) -> FinishedCell:
    return replace(cell, measures={"test/top1": float(value)})


def test_a_training_that_failed_counts_as_worse(make_cell: MakeCell) -> None:
    for seeds, answer in (((0, 1), "held"), ((0,), "cannot be told")):
        request = Request(scale=SCALES["smoke"], seeds=seeds)
        finished = {}
        for setting in request.settings(LOSS):
            for seed in seeds:
                cell = request.cell(setting, {}, seed)
                failed = setting.method == "supcon-in"
                made = (
                    make_cell(cell, failure="The loss became nan.") if failed else make_cell(cell, correct(0.8, seed))
                )
                finished[cell.key] = made
        verdict = judge(gather(LOSS, request, finished))
        assert verdict.answer == answer
        assert "training failed with L_in" in verdict.parts[0].sentence


def test_on_par_with_a_training_that_failed_cannot_be_told(make_cell: MakeCell) -> None:
    request = Request(scale=SCALES["smoke"], seeds=(0, 1))
    every = EXPERIMENTS["epochs"].comparisons(request.scale)
    usual = every[1].second
    both = [every[0], on_par(every[1].first, usual, 0.01, "test/top1")]
    experiment = replace(EXPERIMENTS["epochs"], comparisons=lambda scale: both)
    finished = {}
    for setting in request.settings(experiment):
        for seed in request.seeds:
            cell = request.cell(setting, {}, seed)
            failure = "The loss became nan." if setting.name in usual else ""
            finished[cell.key] = make_cell(cell, failure=failure, **({} if failure else {"test__top1": 0.8}))
    verdict = judge(gather(experiment, request, finished))
    assert [part.answer for part in verdict.parts] == ["did not hold", "cannot be told"]
    assert all(part.sentence.endswith(f": training failed with {usual[0]}.") for part in verdict.parts)


def test_what_has_no_finite_value_cannot_be_told(make_cell: MakeCell) -> None:
    verdict = judge(results_of(make_cell, (0.80, 0.81), (math.nan, math.nan), images=False))
    assert verdict.answer == "cannot be told"
    assert verdict.parts[0].sentence.endswith(": not all of it is measured.")


def test_a_setting_that_is_not_compared_does_not_change_a_comparison(make_cell: MakeCell) -> None:
    """A third row whose seeds differ by a lot, as those of a loss that does not train."""
    experiment, request = EXPERIMENTS["datasets"], Request(scale=SCALES["smoke"], seeds=(0, 1, 2))

    def comparison(noise: float) -> str:
        finished = {}
        for setting in request.settings(experiment):
            for seed in request.seeds:
                value = 0.6 if setting.method == "supcon" else 0.5
                spread = noise if setting.method == "large-margin" else 0.01
                cell = request.cell(setting, {}, seed)
                finished[cell.key] = make_cell(cell, test__top1=value + spread * (seed - 1))
        return next(
            p.sentence for p in judge(gather(experiment, request, finished)).parts if "Cross-entr" in p.sentence
        )

    assert comparison(0.01) == comparison(0.3)


def test_a_setting_with_a_single_seed_cannot_be_compared(make_cell: MakeCell) -> None:
    """How much it varies is not known from other settings: they can vary ten times as much or as little."""
    results = results_of(make_cell, (0.80, 0.81, 0.80), (0.40, 0.41, 0.40))
    first, second = results.rows
    verdict = judge(replace(results, rows=(first, replace(second, cells=second.cells[:1]))))
    assert verdict.answer == "cannot be told"
    assert "its spread over seeds is unknown" in verdict.parts[0].sentence


def test_what_is_compared_besides_does_not_change_the_verdict(make_cell: MakeCell) -> None:
    results = results_of(make_cell, (0.80, 0.81, 0.80), (0.70, 0.71, 0.70))
    first, second = (row.setting.name for row in results.rows)
    experiment = replace(LOSS, besides=lambda scale: [above(second, first)])
    verdict = judge(replace(results, experiment=experiment))
    assert (verdict.answer, [one.answer for one in verdict.besides]) == ("held", ["second is better"])


def test_a_setting_that_failed_with_some_seeds_cannot_be_compared(make_cell: MakeCell) -> None:
    results = results_of(make_cell, (0.80, 0.81, 0.80), (0.70, 0.71, 0.70))
    first, second = results.rows
    partly = replace(second, cells=second.cells[:2], failures=(replace(second.cells[2], failure="NaN"),))
    verdict = judge(replace(results, rows=(first, partly)))
    assert verdict.answer == "cannot be told"
    assert "training failed with L_in (Eq. 3) (some seeds)." in verdict.parts[0].sentence


def failed(row: Row) -> Row:
    return replace(row, cells=(), failures=tuple(replace(cell, failure="NaN") for cell in row.cells))


@pytest.mark.parametrize(
    ("first", "second", "answer"),
    [
        (("SupCon", "SimCLR"), ("Max-margin",), "did not hold"),
        (("Max-margin",), ("SupCon", "SimCLR"), "held"),
        (("SupCon", "Max-margin"), ("Cross-entropy",), "cannot be told"),
        (("Cross-entropy",), ("SupCon", "Max-margin"), "cannot be told"),
        (("SupCon",), ("SimCLR",), "cannot be told"),
    ],
)
def test_failures_decide_only_if_one_side_always_failed_and_the_other_never(
    measured: Measured, first: Sequence[str], second: Sequence[str], answer: str
) -> None:
    results = measured("datasets", seeds=(0, 1, 2))
    rows = tuple(failed(row) if row.setting.name in ("SupCon", "SimCLR") else row for row in results.rows)
    experiment = replace(results.experiment, comparisons=lambda scale: [above(first, second)])
    assert judge(replace(results, experiment=experiment, rows=rows)).parts[0].answer == answer


def test_the_verdict_does_not_wait_for_further_seeds(make_cell: MakeCell) -> None:
    """A page that was made while only some seeds were asked for, and one while all were, say the same."""
    results = results_of(make_cell, (0.80, 0.81), (0.70, 0.71))
    request = replace(results.request, seeds=(0, 1, 2, 3))
    more = gather(LOSS, request, {cell.key: cell for cell in results.cells})
    assert more.missing == 4
    assert judge(more) == judge(results)


def test_no_verdict_before_all_cells_are_there(make_cell: MakeCell) -> None:
    request = Request(scale=SCALES["smoke"], seeds=(0,))
    cell = request.cell(request.settings(LOSS)[0], {}, 0)
    results = gather(LOSS, request, {cell.key: make_cell(cell, correct(0.8, 1))})
    assert results.missing == 1
    assert judge(results).answer == "not finished"


def test_some_rows_give_no_verdict_on_the_whole_claim(measured: Measured) -> None:
    """The rows that were left out may be those that contradict it."""
    whole = measured("datasets", seeds=(0, 1, 2))
    request = replace(whole.request, only=("SupCon", "SimCLR"))
    rows = tuple(row for row in whole.rows if row.setting.name in ("SupCon", "SimCLR"))
    part = judge(replace(whole, request=request, rows=rows))
    assert len(part.parts) == 1
    assert part.answer == "not all rows"
    assert "Only some rows" in part.sentence


def test_reduced_data_is_judged_by_its_reduced_rows(measured: Measured) -> None:
    parts = judge(measured("reduced-data")).parts
    assert len(parts) == 1
    assert "50 %" in parts[0].sentence


def fill(name: str, make_cell: MakeCell, value: Callable[[Row], float], measure: str = "test__top1") -> Results:
    """All rows of an experiment, three seeds, with made-up figures."""
    experiment, request = EXPERIMENTS[name], Request(scale=SCALES["smoke"], seeds=(0, 1, 2))
    finished = {}
    for setting in request.settings(experiment):
        for seed in request.seeds:
            cell = request.cell(setting, setting.candidates[0], seed)
            figure = value(setting) + 0.001 * seed  # type: ignore[arg-type]
            finished[cell.key] = make_cell(cell, **{measure: figure, "gradients__x": 1.0})
    return gather(experiment, request, finished)


def test_on_par_wants_an_interval_within_the_margin(make_cell: MakeCell) -> None:
    """Settings with the same right images; what is on par is the second part of the claim."""
    request = Request(scale=SCALES["smoke"], seeds=(0, 1, 2))
    _, part = EXPERIMENTS["epochs"].comparisons(request.scale)
    same = on_par(part.first, part.second, 0.01, "test/top1")
    experiment = replace(EXPERIMENTS["epochs"], comparisons=lambda scale: [same])
    finished = {}
    for setting in request.settings(experiment):
        for seed in request.seeds:
            cell = request.cell(setting, {}, seed)
            right = correct(0.8 if setting.name in (*part.first, *part.second) else 0.5, seed)
            finished[cell.key] = make_cell(cell, right)
    assert judge(gather(experiment, request, finished)).answer == "held"


@pytest.mark.parametrize(
    ("first", "answer"), [(0.795, "held"), (0.85, "held"), (0.78, "did not hold"), (0.79, "cannot be told")]
)
def test_not_far_below_allows_a_little_worse_and_any_better(make_cell: MakeCell, first: float, answer: str) -> None:
    results = results_of(make_cell, [first + shift for shift in SHIFTS], [0.8 + s for s in SHIFTS], images=False)
    names = [row.setting.name for row in results.rows]
    experiment = replace(LOSS, comparisons=lambda scale: [not_far_below(names[0], names[1], 0.01)])
    verdict = judge(replace(results, experiment=experiment))
    assert verdict.answer == answer
    assert "the first may be 1.00 points worse" in verdict.parts[0].sentence


def test_on_par_without_the_single_images_cannot_be_told(make_cell: MakeCell) -> None:
    """Three seeds that agree show little if the test set is small."""
    measure = "transfer__digits__fine_tune__top1"
    verdict = judge(fill("transfer", make_cell, lambda row: 0.9, measure))
    assert verdict.answer == "cannot be told"
    assert "test images" in verdict.parts[0].sentence
    apart = fill("transfer", make_cell, lambda row: 0.9 if row.name == "SupCon" else 0.8, measure)  # type: ignore[attr-defined]
    assert judge(apart).answer == "did not hold"


def test_stability_compares_spreads(make_cell: MakeCell) -> None:
    def value(spread: dict[str, float]) -> Callable[[Row], float]:
        places: dict[str, int] = {}

        def one(setting: object) -> float:
            line = setting.line  # type: ignore[attr-defined]
            places[line] = places.get(line, 0) + 1
            return 0.7 + float(spread[line]) * (-1.0) ** places[line] * (1 + 0.1 * places[line])

        return one

    steady = fill("stability", make_cell, value({"SupCon": 0.001, "Cross-entropy": 0.05}))
    assert judge(steady).answer == "held"
    assert judge(fill("stability", make_cell, value({"SupCon": 0.05, "Cross-entropy": 0.001}))).answer == "did not hold"


def test_stability_counts_the_recipes_own_setting_once(make_cell: MakeCell) -> None:
    """It stands in the table as an augmentation and as a rate."""
    results = fill("stability", make_cell, lambda row: 0.7 + 0.001 * len(row.name))  # type: ignore[attr-defined]
    rows = [row for row in results.rows if row.setting.line == "SupCon"]
    distinct = {tuple(cell.key for cell in row.cells) for row in rows}
    assert len(distinct) < len(rows)
    assert f"over {len(distinct)} and {len(distinct)} settings" in judge(results).parts[0].sentence


def test_stability_with_a_training_that_failed_cannot_be_told(make_cell: MakeCell) -> None:
    results = fill("stability", make_cell, lambda row: 0.7 + 0.001 * len(row.name))  # type: ignore[attr-defined]
    failed = replace(results.rows[0], failures=results.rows[0].cells[:1])
    verdict = judge(replace(results, rows=(failed, *results.rows[1:])))
    assert verdict.answer == "cannot be told"
    assert verdict.parts[0].sentence == f"Training failed with {results.rows[0].setting.name}."


def test_gradients_are_judged_by_their_ratio(make_cell: MakeCell) -> None:
    experiment, request = EXPERIMENTS["gradients"], Request(scale=SCALES["smoke"], seeds=(0, 1, 2))
    for ratio, answer in ((5.0, "held"), (0.2, "did not hold")):
        finished = {}
        for setting in request.settings(experiment):
            for seed in request.seeds:
                cell = request.cell(setting, {}, seed)
                names = ("gradients__positives_hard_to_easy", "gradients__negatives_hard_to_easy")
                finished[cell.key] = make_cell(cell, **dict.fromkeys(names, ratio + 0.01 * seed))
        assert judge(gather(experiment, request, finished)).answer == answer


def test_a_gradient_below_1_must_be_significant_among_all_ratios(make_cell: MakeCell) -> None:
    """p = 0.03 is below 5 %, but not below 5 % divided by four."""
    experiment, request = EXPERIMENTS["gradients"], Request(scale=SCALES["smoke"], seeds=(0, 1, 2))
    finished = {}
    for setting in request.settings(experiment):
        for seed, spread in zip(request.seeds, (-1, 0, 1), strict=True):
            cell = request.cell(setting, {}, seed)
            ratio = math.exp(-0.3 + 0.09 * spread)
            names = ("gradients__positives_hard_to_easy", "gradients__negatives_hard_to_easy")
            finished[cell.key] = make_cell(cell, **dict.fromkeys(names, ratio))
    parts = judge(gather(experiment, request, finished)).parts
    assert all("p = 0.02" in part.sentence for part in parts)
    assert {part.answer for part in parts} == {"cannot be told"}
