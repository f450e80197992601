"""Measures of images with several labels."""

import numpy as np
import pytest
import torch
import torch.nn.functional as F
from sklearn.metrics import average_precision_score

from supcon.base.errors import RequestError
from supcon.data.image_data import ImageData, Split
from supcon.jobs.multi_label_outputs import check_multi_label, confident_errors, multi_label_measures
from supcon.recipes import change_recipe, find_recipe


def some_data() -> ImageData:
    generator = torch.Generator().manual_seed(0)

    def split(count: int) -> Split:
        labels = (torch.rand(count, 3, generator=generator) < 0.4).long()
        return Split(images=torch.zeros(count, 1, 4, 4, dtype=torch.uint8), labels=labels)

    return ImageData(
        name="scenes", class_names=("sky", "sea", "tree"), train=split(30), validation=split(10), test=split(20),
        image_size=4, mean=(0.0,), std=(1.0,),
    )  # fmt: skip


def test_precisions_are_scikit_learns() -> None:
    data = some_data()
    scores = {"test": torch.randn(20, 3), "validation": torch.randn(10, 3)}
    representations = {"train": torch.randn(30, 5), "test": torch.randn(20, 5)}
    measures = multi_label_measures(scores, representations, data)
    expected = [average_precision_score(data.test.labels[:, c].numpy(), scores["test"][:, c].numpy()) for c in range(3)]
    assert [measures[f"test/class/{name}/ap"] for name in data.class_names] == pytest.approx(expected)
    assert measures["test/map"] == pytest.approx(np.mean(expected))
    assert {"test/nll", "test/knn_map", "test/uniformity", "validation/map"} <= set(measures)


def test_the_neighbours_that_vote_can_be_chosen() -> None:
    data = some_data()
    scores = {"test": torch.randn(20, 3), "validation": torch.randn(10, 3)}
    representations = {"train": torch.randn(30, 5), "test": torch.randn(20, 5)}
    nearest = F.normalize(representations["test"]) @ F.normalize(representations["train"]).T
    votes = data.train.labels[nearest.argmax(1)]
    expected = [average_precision_score(data.test.labels[:, c].numpy(), votes[:, c].numpy()) for c in range(3)]
    measures = multi_label_measures(scores, representations, data, k=1)
    assert measures["test/knn_map"] == pytest.approx(np.mean(expected))


def test_the_surest_errors_come_first_and_unscored_labels_do_not_count() -> None:
    probabilities = np.array([[0.9, 0.1], [0.2, 0.6], [0.0, 1.0]], dtype=np.float32)
    labels = np.array([[1, 0], [1, 0], [-1, 1]])
    assert confident_errors(probabilities, labels, 2).tolist() == [1, 0]


@pytest.mark.parametrize(
    "changes",
    [
        {"method": "triplet"},
        {"mix.method": "mixup"},
        {"stage2.sampler": "class-balanced"},
        {"loss.max_positives": 3},
    ],
)
def test_what_has_no_meaning_is_refused(changes: dict[str, object]) -> None:
    recipe = find_recipe("folder")
    check_multi_label(recipe, "scenes")
    with pytest.raises(RequestError, match=r"scenes has several labels per image, for which "):
        check_multi_label(change_recipe(recipe, changes), "scenes")
