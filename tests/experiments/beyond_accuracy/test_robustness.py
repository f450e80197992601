"""Fig. 3: accuracy under corruptions."""

import pytest

from supcon.experiments import EXPERIMENTS, SCALES


def test_the_mean_over_severities_is_that_of_the_table() -> None:
    rows = {row.name: row.published for row in EXPERIMENTS["robustness"].settings(SCALES["paper"])}
    supcon = rows["SupCon"]
    assert (supcon["corruptions/mce"], supcon["corruptions/relative_mce"]) == (0.672, 0.946)
    assert supcon["corruptions/mean_top1"] == pytest.approx((0.6539 + 0.5555 + 0.4864 + 0.3727 + 0.2692) / 5)
    assert rows["Cross-entropy, ResNet-200"]["corruptions/severity_5/mean_top1"] == 0.4311


def test_the_claim_is_a_lower_error_and_more_accuracy_at_every_severity() -> None:
    comparisons = EXPERIMENTS["robustness"].comparisons(SCALES["small"])
    assert len(comparisons) == 3 + 5
    assert {(c.first, c.second) for c in comparisons} == {(("SupCon",), ("Cross-entropy",))}
    both = EXPERIMENTS["robustness"].comparisons(SCALES["paper"])
    assert len(both) == 2 * len(comparisons)
    assert (both[-1].first, both[-1].second) == (("SupCon, ResNet-200",), ("Cross-entropy, ResNet-200",))
