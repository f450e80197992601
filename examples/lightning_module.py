"""The loss in a LightningModule. With several devices it compares the rows of all of them: gather_distributed=True."""

import lightning
import torch
from sklearn.datasets import load_digits
from torch.utils.data import DataLoader, TensorDataset

from supcon.losses import SupConLoss


class Contrastive(lightning.LightningModule):
    def __init__(self) -> None:
        super().__init__()
        self.encoder = torch.nn.Sequential(torch.nn.Linear(64, 256), torch.nn.ReLU(), torch.nn.Linear(256, 128))
        self.contrastive = SupConLoss(temperature=0.1, gather_distributed=True)

    def training_step(self, batch: list[torch.Tensor], index: int) -> torch.Tensor:
        pixels, labels = batch
        views = pixels[:, None] + 0.1 * torch.randn(len(pixels), 2, 64, device=self.device)
        loss: torch.Tensor = self.contrastive(self.encoder(views), labels)
        self.log("loss", loss)
        return loss

    def configure_optimizers(self) -> torch.optim.Optimizer:
        return torch.optim.Adam(self.parameters(), lr=1e-3)


if __name__ == "__main__":
    pixels, labels = (torch.tensor(array) for array in load_digits(return_X_y=True))
    data = DataLoader(TensorDataset(pixels.float() / 16, labels), batch_size=256, shuffle=True, drop_last=True)
    trainer = lightning.Trainer(
        max_epochs=10, accelerator="cpu", logger=False, enable_checkpointing=False, enable_progress_bar=False
    )
    trainer.fit(Contrastive(), data)
    print(f"from log(511) = 6.24 to {trainer.callback_metrics['loss']:.2f}")
