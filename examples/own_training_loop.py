import torch
from sklearn.datasets import load_digits

from supcon.losses import SupConLoss

pixels, labels = (torch.tensor(array) for array in load_digits(return_X_y=True))
encoder = torch.nn.Sequential(torch.nn.Linear(64, 256), torch.nn.ReLU(), torch.nn.Linear(256, 128))
optimizer, contrastive = torch.optim.Adam(encoder.parameters()), SupConLoss(temperature=0.1)
for batch in torch.randint(len(pixels), (100, 256)):
    views = pixels[batch, None].float() / 16 + 0.1 * torch.randn(256, 2, 64)
    loss = contrastive(encoder(views), labels[batch])  # [batch, view, dim] and [batch]
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(f"from log(511) = 6.24 to {loss.item():.2f}")
