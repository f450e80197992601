"""Table 2: four methods on three data sets."""

from supcon.experiments import EXPERIMENTS, SCALES, Request
from supcon.experiments.methods.datasets_table import PUBLISHED as DATASETS


def test_every_method_on_every_data_set() -> None:
    rows = EXPERIMENTS["datasets"].settings(SCALES["paper"])
    assert len(rows) == 4 * 3
    published = {row.name: row.published["test/top1"] for row in rows}
    assert published["SupCon, CIFAR-100"] == 0.765
    assert published["Max-margin, ImageNet"] == 0.780
    recipes = {row.recipe for row in rows}
    assert recipes == {"cifar10-resnet50", "cifar100-resnet50", "imagenet-resnet50"}


def test_supcon_is_compared_with_the_others_on_the_same_data() -> None:
    pairs = [(c.first, c.second) for c in EXPERIMENTS["datasets"].comparisons(SCALES["paper"])]
    assert len(pairs) == 3 * 3
    for (first,), (second,) in pairs:
        assert first.startswith("SupCon, ")
        assert first.split(", ")[1] == second.split(", ")[1]


def test_a_figure_by_hand() -> None:
    """Table 2, CIFAR-10: SimCLR 93.6, cross-entropy 95.0, max-margin 92.4, SupCon 96.0."""
    assert DATASETS["CIFAR-10"][1] == (0.936, 0.950, 0.924, 0.960)
    rows = {row.name: row.published["test/top1"] for row in EXPERIMENTS["datasets"].settings(SCALES["small"])}
    assert rows["SupCon"] == 0.960


def test_every_method_is_tuned_at_small_scale_from_the_same_rates_and_starts_from_its_recipe() -> None:
    request = Request(scale=SCALES["small"], data="cifar10/")
    for row in EXPERIMENTS["datasets"].settings(SCALES["small"]):
        lr = SCALES["small"].base(row.method).stage1.optimizer.lr
        assert {change["stage1.optimizer.lr"] / lr for change in row.candidates} == {0.25, 0.5, 1.0, 2.0}
        cells = [request.cell(row, candidate, 0).key for candidate in row.candidates]
        assert request.cell(row, {}, 0).key in cells, "the recipe's own values are a candidate, and its cells are used"
        assert len(set(cells)) == len(cells)
    assert all(row.candidates == ({},) for row in EXPERIMENTS["datasets"].settings(SCALES["paper"]))
