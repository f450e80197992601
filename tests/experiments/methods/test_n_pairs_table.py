"""Sec. 4.1: the N-pairs loss."""

from dataclasses import replace

from supcon.experiments import EXPERIMENTS, SCALES


def test_n_pairs_differs_from_supcon_by_its_method_alone() -> None:
    supcon, n_pairs = EXPERIMENTS["n-pairs"].settings(SCALES["paper"])
    assert (n_pairs.method, n_pairs.changes, n_pairs.published["test/top1"]) == ("n-pairs", {}, 0.574)
    assert supcon.changes == {}


def test_gradients_are_as_large_as_at_supcons_temperature() -> None:
    base = SCALES["small"].base().loss
    assert base.rescale == "none"
    _, n_pairs = EXPERIMENTS["n-pairs"].settings(SCALES["small"])
    assert n_pairs.changes == {"loss.rescale": base.temperature}


def test_the_remark_names_every_value_in_which_the_recipes_differ() -> None:
    supcon, n_pairs = (SCALES["paper"].base(method) for method in ("supcon", "n-pairs"))
    same = replace(
        n_pairs,
        name=supcon.name,
        method=supcon.method,
        loss=replace(n_pairs.loss, temperature=supcon.loss.temperature),
        views=replace(n_pairs.views, count=supcon.views.count),
    )
    assert same == supcon
    assert (n_pairs.loss.temperature, n_pairs.views.count) == (1.0, 1)
    assert "temperature 1" in EXPERIMENTS["n-pairs"].differs
    assert "one view per image" in EXPERIMENTS["n-pairs"].differs
