"""Fig. 4 (b): batch sizes."""

from supcon.experiments import EXPERIMENTS, SCALES


def test_the_learning_rate_is_proportional_to_the_batch_size() -> None:
    scale = SCALES["small"]
    rows = [row for row in EXPERIMENTS["batch-size"].settings(scale) if row.line == "SupCon"]
    own = scale.base().stage1
    assert [row.at for row in rows] == [own.batch_size * factor for factor in (0.25, 0.5, 1, 2, 4)]
    rates = {row.changes["stage1.optimizer.lr"] / row.changes["stage1.batch_size"] for row in rows}
    assert rates == {own.optimizer.lr / own.batch_size}


def test_a_recipe_whose_rate_follows_the_batch_keeps_its_rate() -> None:
    rows = EXPERIMENTS["batch-size"].settings(SCALES["paper"])
    assert sorted({row.at for row in rows}) == [256, 512, 1024, 2048, 4096, 6144]
    assert all(set(row.changes) == {"stage1.batch_size"} for row in rows if row.line == "SupCon")


def test_the_losses_are_compared_at_every_batch_size() -> None:
    scale = SCALES["small"]
    experiment = EXPERIMENTS["batch-size"]
    sizes = sorted({row.at for row in experiment.settings(scale)})
    larger, each_size = experiment.comparisons(scale)[:2], experiment.comparisons(scale)[2:]
    assert [part.first for part in larger] == [(f"SupCon, batch {sizes[-1]}",), (f"Cross-entropy, batch {sizes[-1]}",)]
    expected = [((f"SupCon, batch {size}",), (f"Cross-entropy, batch {size}",)) for size in sizes]
    assert [(part.first, part.second) for part in each_size] == expected
