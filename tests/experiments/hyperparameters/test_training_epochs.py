"""Fig. 4 (c): epochs of stage 1."""

from supcon.experiments import EXPERIMENTS, SCALES


def test_epochs_are_the_papers_shares_of_the_recipes() -> None:
    rows = EXPERIMENTS["epochs"].settings(SCALES["paper"])
    assert [row.at for row in rows] == [50, 100, 200, 350, 700]
    above, on_par = EXPERIMENTS["epochs"].comparisons(SCALES["paper"])
    assert (above.first, above.second) == (("350 epochs",), ("50 epochs",))
    assert (on_par.first, on_par.second) == (("200 epochs",), ("350 epochs",))
