"""What `test_outputs.npz` holds for the page."""

from pathlib import Path

import pytest
import torch

from supcon.data import ImageData
from supcon.jobs import page_arrays as module
from supcon.jobs.run_data import load_run_data
from supcon.runs import Run


@pytest.fixture(scope="module")
def digits(tiny_runs: dict[str, Path]) -> ImageData:
    return load_run_data(Run(tiny_runs["supcon"]))


def test_of_a_large_test_set_the_map_and_the_surest_mistakes_have_thumbnails(
    digits: ImageData, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "_SHOWN", 100)
    monkeypatch.setattr(module, "_MAPPED", 50)
    count, wrong = len(digits.test), 17
    probabilities = torch.full((count, 10), 0.05)
    probabilities[torch.arange(count), digits.test.labels] = 0.55
    probabilities[wrong] = 0.01
    probabilities[wrong, (int(digits.test.labels[wrong]) + 1) % 10] = 0.9
    generator = torch.Generator().manual_seed(0)
    parts = {"train": digits.train, "test": digits.test}
    representations = {name: torch.randn(len(split), 4, generator=generator) for name, split in parts.items()}
    arrays = module.page_arrays(representations, probabilities, digits)
    shown = arrays["thumbnail_index"].tolist()
    assert wrong not in arrays["map_index"]
    assert shown == sorted({*arrays["map_index"].tolist(), wrong})
    assert len(arrays["thumbnails"]) == len(arrays["nearest"]) == len(shown)
    assert arrays["coordinates"].shape == (len(arrays["map_index"]), 2)
