"""The images of a finished run."""

from pathlib import Path

import torch

from supcon.data import load_data
from supcon.jobs.run_data import load_run_data
from supcon.recipes import recipe_from_values
from supcon.runs import Run


def test_a_run_gets_the_images_and_splits_it_was_trained_with(tiny_runs: dict[str, Path]) -> None:
    run = Run(tiny_runs["supcon"])
    data, expected = load_run_data(run), load_data(recipe_from_values(run.recipe).data)
    for split in ("train", "validation", "test"):
        assert torch.equal(getattr(data, split).labels, getattr(expected, split).labels)
        assert torch.equal(getattr(data, split).images[:], getattr(expected, split).images[:])
