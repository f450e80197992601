import pytest
import torch
import torch.nn.functional as F

from supcon.losses import SupConLoss
from supcon.stages import multi_label
from supcon.stages.multi_label import binary_cross_entropy, label_pair_weights


def test_one_label_an_image_gives_the_loss_of_labels() -> None:
    torch.manual_seed(0)
    projections, labels = torch.randn(8, 2, 5), torch.tensor([0, 1, 2, 0, 1, 1, 0, 2])
    weights = label_pair_weights(F.one_hot(labels, 3), views=2)
    loss = SupConLoss(0.1)
    assert torch.allclose(loss(projections, None, pair_weights=weights), loss(projections, labels))


def test_an_unlabelled_image_has_its_own_views_alone() -> None:
    weights = label_pair_weights(torch.tensor([[1, 0], [-1, -1], [1, 1]]), views=2)
    assert weights[2].tolist() == [0, 0, 1, 1, 0, 0]
    assert weights[0].tolist() == [1, 1, 0, 0, 0.5, 0.5]


def test_every_process_has_its_rows_against_those_of_all(monkeypatch: pytest.MonkeyPatch) -> None:
    labels = torch.tensor([[1, 0], [0, 1], [1, 1], [1, 0]])
    whole = label_pair_weights(labels, views=2)
    monkeypatch.setattr(multi_label, "is_distributed", lambda: True)
    monkeypatch.setattr(multi_label, "gather", lambda _: labels)
    parts = []
    for rank in range(2):
        monkeypatch.setattr("torch.distributed.get_rank", lambda rank=rank: rank)
        parts.append(label_pair_weights(labels[2 * rank : 2 * rank + 2], views=2))
    assert torch.equal(torch.cat(parts), whole)


def test_what_is_not_to_be_judged_does_not_count() -> None:
    logits = torch.tensor([[1.0, -2.0], [0.5, 3.0]])
    targets = torch.tensor([[1, 0], [-1, 1]])
    expected = (F.softplus(torch.tensor(-1.0)) + F.softplus(torch.tensor(-2.0)) + F.softplus(torch.tensor(-3.0))) / 2
    assert torch.allclose(binary_cross_entropy(logits, targets), expected)
    assert binary_cross_entropy(logits, targets, 0.1) > binary_cross_entropy(logits, targets)
