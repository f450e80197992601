"""Supp. Table 6: calibration."""

from supcon.experiments import EXPERIMENTS, SCALES


def test_figures_of_clean_images_and_five_severities() -> None:
    rows = {row.name: row for row in EXPERIMENTS["calibration"].settings(SCALES["paper"])}
    assert list(rows) == ["SupCon", "Cross-entropy", "SupCon, ResNet-200", "Cross-entropy, ResNet-200"]
    assert rows["SupCon"].published["test/ece"] == 0.024
    assert rows["Cross-entropy, ResNet-200"].published["corruptions/severity_5/mean_ece"] == 0.052
    assert rows["SupCon, ResNet-200"].recipe == "imagenet-resnet200"
    assert len(EXPERIMENTS["calibration"].settings(SCALES["small"])) == 2
