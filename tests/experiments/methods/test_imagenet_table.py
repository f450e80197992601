"""Table 3: networks and augmentations."""

import pytest

from supcon.experiments import EXPERIMENTS, SCALES


def test_the_large_network_is_resnet_200_or_twice_as_wide() -> None:
    paper, small = ({row.name: row for row in EXPERIMENTS["imagenet"].settings(SCALES[s])} for s in ("paper", "small"))
    large = "SupCon, large, Stacked RandAugment"
    assert paper[large].recipe == "imagenet-resnet200"
    assert paper[large].published == pytest.approx({"test/top1": 0.814, "test/top5": 0.959})
    assert small[large].recipe is None
    assert small[large].changes["encoder.width"] == 2 * SCALES["small"].base().encoder.width
    assert set(paper) - set(small) == {"SupCon, ResNet-101, Stacked RandAugment"}


def test_mixup_and_cutmix_are_for_cross_entropy_with_plain_crops() -> None:
    for row in EXPERIMENTS["imagenet"].settings(SCALES["small"])[:2]:
        assert row.method == "cross-entropy"
        assert row.changes["views.augmentation"] == "crop-flip"
        assert row.changes["mix.method"] in row.name.lower()
