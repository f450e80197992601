"""Table 1: the two losses."""

from supcon.experiments import EXPERIMENTS, SCALES


def test_the_two_rows_are_the_two_equations() -> None:
    out, inside = EXPERIMENTS["loss-variants"].settings(SCALES["paper"])
    assert (out.method, out.published["test/top1"]) == ("supcon", 0.787)
    assert (inside.method, inside.published["test/top1"]) == ("supcon-in", 0.674)
