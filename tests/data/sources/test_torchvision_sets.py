"""Sets that torchvision reads, from small files in their layout."""

from pathlib import Path

from references.small_named_sets import cifar, flowers, pets
from supcon.data.config import DataConfig
from supcon.data.listed_data import open_collection


def test_cifar100_has_its_fine_classes(tmp_path: Path) -> None:
    cifar(tmp_path, hundred=True)
    found = open_collection(DataConfig(spec="cifar100", root=str(tmp_path)))
    assert (len(found.class_names), len(found.given["train"]), len(found.given["test"])) == (100, 10, 10)


def test_labels_go_with_their_images(tmp_path: Path) -> None:
    pets(tmp_path)
    found = open_collection(DataConfig(spec="oxford-pets", root=str(tmp_path)))
    assert found.class_names == ("Bengal", "Great Dane")
    for row, label in enumerate(found.labels.tolist()):
        assert found.image_name(row).startswith(
            ("oxford-iiit-pet/images/Bengal", "oxford-iiit-pet/images/great")[label]
        )
    flowers(tmp_path)
    found = open_collection(DataConfig(spec="oxford-flowers", root=str(tmp_path)))
    assert found.labels.tolist() == [0, 1] * 6
