"""The 1,797 handwritten digits of 8x8 pixels that scikit-learn carries: data that needs no download.

The split is fixed, whatever the run's seed, so that figures of different runs are about the same 360 test images.
"""

import numpy as np
import torch
from sklearn.datasets import load_digits
from torchvision.transforms.v2.functional import resize

from supcon.data.image_data import ImageData, Split, channel_statistics
from supcon.data.splits import Indices, hold_out

_SPLIT_SEED = 0


def digits(image_size: int | None = None) -> ImageData:
    """1,257 training, 180 validation and 360 test images of ten classes, 8x8 pixels unless another size is given."""
    source = load_digits()
    images = torch.from_numpy(np.rint(source.images * (255 / 16)).astype(np.uint8)).unsqueeze(1)
    if image_size is not None and image_size != images.shape[-1]:
        images = resize(images, [image_size, image_size], antialias=True)
    labels = source.target.astype(np.int64)

    def split(index: Indices) -> Split:
        return Split(images=images[index], labels=torch.from_numpy(labels[index]))

    rest, test = hold_out(labels, 360 / len(labels), _SPLIT_SEED)
    train, validation = (rest[part] for part in hold_out(labels[rest], 180 / len(rest), _SPLIT_SEED))
    mean, std = channel_statistics(images[train])
    return ImageData(
        name="digits",
        class_names=tuple(str(digit) for digit in range(10)),
        train=split(train),
        validation=split(validation),
        test=split(test),
        image_size=images.shape[-1],
        mean=mean,
        std=std,
    )
