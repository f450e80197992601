"""The loss in Hugging Face's Trainer: compute_loss returns it; the model returns projections."""

import torch
from sklearn.datasets import load_digits
from transformers import Trainer, TrainingArguments

from supcon.losses import SupConLoss


class ContrastiveTrainer(Trainer):
    contrastive = SupConLoss(temperature=0.1)

    def compute_loss(self, model, inputs, return_outputs=False, num_items_in_batch=None):  # type: ignore[no-untyped-def]
        projections = model(inputs["views"])  # [batch, view, dim]
        loss = self.contrastive(projections, inputs["labels"])
        return (loss, projections) if return_outputs else loss


def collate(examples: list[dict[str, torch.Tensor]]) -> dict[str, torch.Tensor]:
    pixels = torch.stack([example["pixels"] for example in examples])
    views = pixels[:, None] + 0.1 * torch.randn(len(pixels), 2, 64)
    return {"views": views, "labels": torch.stack([example["label"] for example in examples])}


pixels, labels = (torch.tensor(array) for array in load_digits(return_X_y=True))
data = [{"pixels": image.float() / 16, "label": label} for image, label in zip(pixels, labels, strict=True)]
encoder = torch.nn.Sequential(torch.nn.Linear(64, 256), torch.nn.ReLU(), torch.nn.Linear(256, 128))
settings = TrainingArguments(
    output_dir="trainer",
    per_device_train_batch_size=256,  # a contrastive batch: gradient accumulation does not replace a larger one
    dataloader_drop_last=True,
    num_train_epochs=10,
    learning_rate=1e-3,
    save_strategy="no",
    report_to=[],
    remove_unused_columns=False,
    disable_tqdm=True,
    use_cpu=True,
)
done = ContrastiveTrainer(model=encoder, args=settings, train_dataset=data, data_collator=collate).train()
print(f"from log(511) = 6.24 to a mean of {done.training_loss:.2f}")
