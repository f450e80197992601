"""Sec. 4.1: the N-pairs loss."""

from supcon.experiments import EXPERIMENTS, SCALES


def test_n_pairs_differs_from_supcon_by_its_method_alone() -> None:
    supcon, n_pairs = EXPERIMENTS["n-pairs"].settings(SCALES["paper"])
    assert (n_pairs.method, n_pairs.changes, n_pairs.published["test/top1"]) == ("n-pairs", {}, 0.574)
    assert supcon.changes == {}
