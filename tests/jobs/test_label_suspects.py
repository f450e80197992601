import numpy as np
import torch
import torch.nn.functional as F
from sklearn.neighbors import NearestNeighbors

from supcon.jobs.label_suspects import label_suspects


def three_clusters(images: int = 90) -> tuple[torch.Tensor, torch.Tensor]:
    generator = torch.Generator().manual_seed(0)
    labels = torch.arange(images) % 3
    rows = 5 * torch.eye(3)[labels] + 0.2 * torch.randn(images, 3, generator=generator)
    return F.normalize(rows, dim=1), labels


def test_swapped_labels_are_found_and_nothing_else() -> None:
    bank, labels = three_clusters()
    wrong = labels.clone()
    wrong[[4, 40, 77]] = (wrong[[4, 40, 77]] + 1) % 3
    found = label_suspects(bank, wrong, 3)
    assert set(found.images.tolist()) == {4, 40, 77}
    assert found.voted.tolist() == labels[found.images].tolist()
    assert (found.share > 0.6).all()
    assert (found.own_share < 0.3).all()


def test_right_labels_leave_nothing_to_list() -> None:
    assert len(label_suspects(*three_clusters(), 3).images) == 0


def test_votes_are_those_of_sklearns_neighbours() -> None:
    generator = torch.Generator().manual_seed(1)
    bank = F.normalize(torch.randn(200, 6, generator=generator), dim=1)
    labels = torch.randint(4, (200,), generator=generator)
    found = label_suspects(bank, labels, 4)
    neighbours = NearestNeighbors(n_neighbors=10).fit(bank.numpy()).kneighbors(return_distance=False)
    votes = np.stack([np.bincount(labels.numpy()[row], minlength=4) for row in neighbours]) / 10
    margin = votes.max(1) - votes[np.arange(200), labels.numpy()]
    assert len(found.images) == 24
    np.testing.assert_allclose(margin[found.images], np.sort(margin)[::-1][:24], atol=1e-6)
    np.testing.assert_allclose(found.share - found.own_share, margin[found.images], atol=1e-6)
    np.testing.assert_array_equal(found.nearest, neighbours[found.images, :3])


def test_one_image_has_no_neighbours() -> None:
    assert len(label_suspects(torch.ones(1, 1), torch.zeros(1, dtype=torch.long), 2).images) == 0
