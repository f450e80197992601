import torch
from sklearn.datasets import load_digits

from supcon.losses import SupConLoss

pixels, labels = (torch.tensor(array) for array in load_digits(return_X_y=True))
encoder = torch.nn.Sequential(torch.nn.Linear(64, 256), torch.nn.ReLU(), torch.nn.Linear(256, 128))
optimizer = torch.optim.Adam(encoder.parameters(), lr=1e-3)
contrastive = SupConLoss(temperature=0.1)
for _ in range(100):
    batch = torch.randint(len(pixels), (256,))
    views = torch.stack([pixels[batch].float() / 16 + 0.1 * torch.randn(256, 64) for _ in range(2)], dim=1)
    loss = contrastive(encoder(views), labels[batch])  # [batch, view, dim] and [batch]
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(f"from log(511) = 6.24 to {loss.item():.2f}")
