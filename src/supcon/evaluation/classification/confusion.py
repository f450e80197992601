"""Which classes are taken for which."""

from jaxtyping import Int
from torch import Tensor

from supcon.base.shapes import Labels, Logits


def confusion_matrix(logits: Logits, labels: Labels) -> Int[Tensor, "class class"]:
    """How often an image of the row's class was predicted as the column's class.

    >>> import torch
    >>> confusion_matrix(torch.tensor([[2.0, 1.0], [2.0, 1.0]]), torch.tensor([0, 1])).tolist()
    [[1, 0], [1, 0]]
    """
    classes = logits.shape[1]
    return (labels * classes + logits.argmax(1)).bincount(minlength=classes**2).view(classes, classes)
