"""Images with several labels: two images are positives as far as they have classes in common."""

import torch

from supcon.losses import SupConLoss, jaccard_weights

torch.manual_seed(0)
classes = torch.randn(6, 32)  # an image of classes 1 and 4 looks like the sum of both, with noise
encoder = torch.nn.Sequential(torch.nn.Linear(32, 64), torch.nn.ReLU(), torch.nn.Linear(64, 16))
optimizer, contrastive = torch.optim.Adam(encoder.parameters(), lr=3e-3), SupConLoss(temperature=0.2)


def some_images(count: int) -> tuple[torch.Tensor, torch.Tensor]:
    """Two views of each image, [image, view, pixel], and which classes it has, [image, class]."""
    has_class = torch.rand(count, 6) < 0.3
    return (has_class.float() @ classes)[:, None] + 0.5 * torch.randn(count, 2, 32), has_class


for _ in range(150):
    views, has_class = some_images(128)
    loss = contrastive(encoder(views), pair_weights=jaccard_weights(has_class, views=2))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()

views, has_class = some_images(500)
embedded = torch.nn.functional.normalize(encoder(views[:, 0]), dim=-1)
similarity, overlap = (embedded @ embedded.t()).flatten(), jaccard_weights(has_class).flatten()
for low, high in ((0.0, 0.01), (0.01, 0.34), (0.34, 0.99)):
    chosen = (overlap >= low) & (overlap < high)
    print(f"share of common classes {low:.2f} to {high:.2f}: mean similarity {similarity[chosen].mean():.2f}")
