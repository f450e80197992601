"""How much hard pairs weigh, against slow loops over autograd's gradient."""

import statistics

import pytest
import torch

from supcon.jobs.reproduction.gradient_shares import hard_to_easy
from supcon.losses import SupConLoss


def slow_ratio(projections: torch.Tensor, labels: torch.Tensor, temperature: float, positives: bool) -> float:
    """From the gradient itself: how the anchor's loss changes with each pair's similarity, times its sine."""
    rows = torch.nn.functional.normalize(projections.flatten(0, 1).double(), dim=1)
    every = labels.repeat_interleave(projections.shape[1])
    hard, easy = [], []
    for anchor in range(len(rows)):
        similarity = (rows[anchor] @ rows.T).detach().requires_grad_()
        others = torch.arange(len(rows)) != anchor
        log_p = similarity / temperature - torch.logsumexp(similarity[others] / temperature, 0)
        same = others & (every == every[anchor])
        (-log_p[same].mean()).backward()
        assert similarity.grad is not None
        sine = (1 - similarity.detach() ** 2).clamp(min=0).sqrt()
        share = (similarity.grad * temperature).abs() * sine
        pairs = torch.nonzero(same if positives else others & ~same).flatten()
        order = pairs[similarity.detach()[pairs].argsort(descending=not positives)]
        fifth = max(1, len(order) // 5)
        hard += share[order[:fifth]].tolist()
        easy += share[order[-fifth:]].tolist()
    return statistics.fmean(hard) / statistics.fmean(easy)


def test_ratios_are_those_of_the_gradient() -> None:
    generator = torch.Generator().manual_seed(0)
    projections = torch.randn(12, 2, 8, generator=generator)
    labels = torch.arange(12) % 3
    found = hard_to_easy(projections, labels, 0.5)
    for kind in ("positives", "negatives"):
        expected = slow_ratio(projections, labels, 0.5, kind == "positives")
        assert found[f"gradients/{kind}_hard_to_easy"] == pytest.approx(expected, rel=1e-3)
    SupConLoss(temperature=0.5)(projections, labels)  # the same batch is one that the loss takes


def test_a_spread_out_batch_learns_from_hard_pairs() -> None:
    """Classes that are half told apart: hard positives and hard negatives weigh more, as the paper derives."""
    generator = torch.Generator().manual_seed(1)
    labels = torch.arange(64) % 4
    centres = torch.nn.functional.one_hot(labels, 16).float()
    views = centres[:, None] + 0.25 * torch.randn(64, 2, 16, generator=generator)
    out, inside = (hard_to_easy(views, labels, 0.5, summation) for summation in ("out", "in"))
    assert out["gradients/negatives_hard_to_easy"] == inside["gradients/negatives_hard_to_easy"] > 2
    # What a positive is given under Eq. 3 grows with how like the anchor it is already.
    assert out["gradients/positives_hard_to_easy"] > 2 > 1 > inside["gradients/positives_hard_to_easy"]
