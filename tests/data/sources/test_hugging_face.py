from pathlib import Path

import pytest
import torch
from PIL import Image

from supcon.base.errors import RequestError
from supcon.data.config import DataConfig
from supcon.data.load import load_data
from supcon.data.sources.hugging_face import hugging_face

datasets = pytest.importorskip("datasets", reason="the extra `hf` is not installed")


def save(path: Path, splits: dict[str, int], label: str = "label") -> str:
    features = datasets.Features({"image": datasets.Image(), label: datasets.ClassLabel(names=["ant", "bee"])})
    tables = {}
    for split, count in splits.items():
        images = [Image.new("RGB", (8, 8), (n, 2 * n, 3 * n)) for n in range(count)]
        columns = {"image": images, label: [n % 2 for n in range(count)]}
        tables[split] = datasets.Dataset.from_dict(columns, features=features)
    datasets.DatasetDict(tables).save_to_disk(path)
    return f"hf:{path}"


@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::ResourceWarning")
def test_a_saved_set_loads_in_its_splits(tmp_path: Path) -> None:
    data = load_data(DataConfig(spec=save(tmp_path / "beans", {"train": 12, "validation": 4, "test": 6})))
    assert (data.name, data.class_names) == ("beans", ("ant", "bee"))
    assert data.counts == {"train": 12, "validation": 4, "test": 6}
    values = data.test.images[:][:, 0, 0, 0].long()
    assert values.tolist() == list(range(6))
    assert torch.equal(values % 2, data.test.labels)


@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::ResourceWarning")
def test_other_columns_and_missing_labels(tmp_path: Path) -> None:
    found = hugging_face(save(tmp_path / "x", {"train": 6}, label="species").removeprefix("hf:"))
    assert found.labels.tolist() == [0, 1, 0, 1, 0, 1]
    assert found.image_name(5) == "train/5"


@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::ResourceWarning")
def test_what_is_not_there_or_not_right(tmp_path: Path) -> None:
    with pytest.raises(
        RequestError,
        match=r"^hf:nobody/nothing-at-all could not be loaded .*; download it with "
        r"--download\.$",
    ):
        hugging_face("nobody/nothing-at-all")
    datasets.Dataset.from_dict({"text": ["a"]}).save_to_disk(tmp_path / "words")
    with pytest.raises(
        RequestError, match="has the columns text, but it needs one of type Image and one of type ClassLabel"
    ):
        hugging_face(str(tmp_path / "words"))
    with pytest.raises(RequestError, match="has the splits other, but it needs one called train"):
        hugging_face(save(tmp_path / "y", {"other": 2}).removeprefix("hf:"))
