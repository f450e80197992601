"""Images without a label have -1: their only positives are their own other views."""

import torch
from sklearn.datasets import load_digits

from supcon.evaluation import nearest_neighbour_accuracy
from supcon.losses import SupConLoss

pixels, labels = (torch.tensor(array) for array in load_digits(return_X_y=True))
pixels, test = pixels.float() / 16, torch.arange(len(labels)) % 5 == 0
images, true = pixels[~test], labels[~test]


def train(known: torch.Tensor) -> torch.nn.Module:
    encoder = torch.nn.Sequential(torch.nn.Linear(64, 128), torch.nn.ReLU(), torch.nn.Linear(128, 64))
    optimizer, contrastive = torch.optim.Adam(encoder.parameters()), SupConLoss(temperature=0.1)
    for batch in torch.randint(len(images), (150, 256)):
        views = images[batch, None] + 0.3 * torch.randn(256, 2, 64)
        loss = contrastive(encoder(views), known[batch])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return encoder


torch.manual_seed(0)
for share in (0.0, 0.1, 1.0):
    encoder = train(torch.where(torch.rand(len(true)) < share, true, -1))
    with torch.no_grad():
        accuracy = nearest_neighbour_accuracy(encoder(pixels[test]), labels[test], encoder(images), true, k=5)
    print(f"trained with {100 * share:.0f} % of the labels: k-NN accuracy {100 * accuracy:.1f} %")
