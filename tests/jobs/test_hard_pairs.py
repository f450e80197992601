from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as F

from supcon.data import DataConfig, load_data
from supcon.jobs.hard_pairs import fifths, has_pair_gradients, pair_arrays
from supcon.jobs.training_batch import TrainingBatch
from supcon.recipes import change_recipe, find_recipe
from supcon.runs import Run


def made_up(images: int = 24) -> tuple[torch.Tensor, TrainingBatch]:
    data = load_data(DataConfig(spec="digits"))
    index = torch.arange(images)
    views = data.train.images[index][:, None].repeat(1, 2, 1, 1, 1)
    batch = TrainingBatch(index=index, split=data.train, labels=data.train.labels[index], views=views)
    projections = torch.randn(images, 2, 8, generator=torch.Generator().manual_seed(0))
    return projections, batch


def shares_by_loops(projections: torch.Tensor, labels: torch.Tensor, tau: float) -> tuple[np.ndarray, np.ndarray]:
    """|P_ix - X_ix| sqrt(1 - (z_i . z_x)^2), written out: the supplementary's lengths of the gradient's terms."""
    rows = F.normalize(projections.flatten(0, 1), dim=1).double().numpy()
    label = labels.repeat_interleave(2).numpy()
    count = len(rows)
    shares, positive = np.zeros((count, count)), np.zeros((count, count), bool)
    for i in range(count):
        others = [x for x in range(count) if x != i]
        total = sum(np.exp(rows[i] @ rows[x] / tau) for x in others)
        positives = [x for x in others if label[x] == label[i]]
        for x in others:
            p = np.exp(rows[i] @ rows[x] / tau) / total
            target = 1 / len(positives) if x in positives else 0.0
            shares[i, x] = abs(p - target) * np.sqrt(max(0.0, 1 - (rows[i] @ rows[x]) ** 2))
            positive[i, x] = x in positives
    return shares, positive


def test_pairs_and_fifths_equal_loops() -> None:
    projections, batch = made_up()
    data = load_data(DataConfig(spec="digits"))
    recipe = find_recipe("digits", "supcon")
    arrays = pair_arrays(projections, batch, recipe, data)
    shares, positive = shares_by_loops(projections, batch.labels, recipe.loss.temperature)
    negative = ~positive & ~np.eye(len(shares), dtype=bool)
    for kind, pairs in (("positives", positive), ("negatives", negative)):
        largest = (shares * pairs).max()
        mean = shares[pairs].mean()
        np.testing.assert_allclose(arrays[f"{kind}_times_mean"][0], largest / mean, rtol=1e-4)
        assert (np.diff(arrays[f"{kind}_times_mean"]) <= 0).all()
        same = arrays[f"{kind}_labels"][:, 0] == arrays[f"{kind}_labels"][:, 1]
        assert same.all() == (kind == "positives")
        assert arrays[f"{kind}_pictures"].shape[1:] == (2, 8, 8, 1)
        np.testing.assert_allclose(arrays[f"{kind}_fifths"].sum(), 1, rtol=1e-5)
    rows = F.normalize(projections.flatten(0, 1), dim=1).double().numpy()
    hard = np.sort((rows @ rows.T)[negative])[::-1]
    threshold = hard[len(hard) // 5]
    by_hand = shares[negative & ((rows @ rows.T) > threshold)].sum() / shares[negative].sum()
    np.testing.assert_allclose(arrays["negatives_fifths"][0], by_hand, atol=0.01)


def test_no_image_fills_the_list() -> None:
    projections, batch = made_up()
    arrays = pair_arrays(projections, batch, find_recipe("digits", "supcon"), load_data(DataConfig(spec="digits")))
    for kind in ("positives", "negatives"):
        names = arrays[f"{kind}_names"].tolist()
        assert max(sum(name in pair for pair in names) for pair in names for name in pair) <= 2


def test_no_pair_of_images_is_shown_twice() -> None:
    """Neither in the other direction nor by other views."""
    projections, batch = made_up()
    arrays = pair_arrays(projections, batch, find_recipe("digits", "supcon"), load_data(DataConfig(spec="digits")))
    for kind in ("positives", "negatives"):
        pairs = [frozenset(pair) for pair in arrays[f"{kind}_names"].tolist()]
        assert len(set(pairs)) == len(pairs) > 0


def test_a_fifth_of_equal_shares_is_a_fifth() -> None:
    np.testing.assert_allclose(fifths(torch.ones(100), torch.rand(100)), [0.2] * 5, rtol=1e-6)


def test_methods_with_pairs() -> None:
    data = load_data(DataConfig(spec="digits"))
    assert has_pair_gradients(find_recipe("digits", "supcon"), data)
    assert has_pair_gradients(find_recipe("digits", "simclr"), data)
    assert not has_pair_gradients(find_recipe("digits", "cross-entropy"), data)
    mixed = change_recipe(find_recipe("digits", "supcon"), {"mix.method": "mixup"})
    assert not has_pair_gradients(mixed, data)
    for option, value in (("max_positives", 3), ("anchors", "first_view"), ("queue_size", 64)):
        other = change_recipe(find_recipe("digits", "supcon"), {f"loss.{option}": value})
        assert not has_pair_gradients(other, data), option


def test_a_run_records_start_and_end(tiny_runs: dict[str, Path]) -> None:
    folder = Run(tiny_runs["supcon"]).stage(1)
    start, end = (np.load(folder / f"pairs_{moment}.npz", allow_pickle=False) for moment in ("start", "end"))
    assert set(start) == set(end)
    assert not np.array_equal(start["negatives_similarity"], end["negatives_similarity"])
    views = np.load(folder / "views.npz", allow_pickle=False)
    assert views["images"].shape == (6, 8, 8, 1)
    assert views["views"].shape == (6, 6, 8, 8, 1)
    assert not (Run(tiny_runs["cross-entropy"]).stage(1) / "pairs_start.npz").exists()
    assert (Run(tiny_runs["cross-entropy"]).stage(1) / "views.npz").exists()
