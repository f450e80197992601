"""Stage 2 on cached representations."""

import pytest
import torch

from references.whole_stages import Stages, checkpointed, equal, weights
from supcon.data import training_loader
from supcon.data.image_data import ImageData
from supcon.stages.cached_representations import cached_loader
from supcon.views import ViewsConfig


def test_cached_representations_teach_what_whole_images_do(stages: Stages) -> None:
    whole = ViewsConfig(augmentation="crop-flip", crop_area=(1, 1), crop_aspect=(1, 1), flip_probability=0, count=1)
    on_views = weights(stages.classify("views", epochs=3, views=whole)["classifier"])
    cached = weights(stages.classify("cached", epochs=3, cached=True)["classifier"])
    for name, tensor in on_views.items():
        assert torch.allclose(tensor, cached[name], atol=1e-4)
    views, rows = stages.rows("views"), stages.rows("cached")
    assert [row["train/loss"] for row in rows.values()] == pytest.approx(
        [row["train/loss"] for row in views.values()], rel=1e-4
    )


def test_a_cached_stage_2_encodes_once_and_leaves_the_encoder_alone(stages: Stages) -> None:
    before = weights(stages.make_parts(0)[0])
    assert equal(before, weights(stages.classify(epochs=2, cached=True)["encoder"]))
    assert not any(name.startswith("encoder") for name in checkpointed(stages.folder / "stage2"))


def test_batches_are_those_of_the_training_loader(stripes: ImageData) -> None:
    representations = torch.arange(len(stripes.train)).float().unsqueeze(1)
    cached = cached_loader(representations, stripes.train.labels, 8, seed=3)
    images = training_loader(stripes.train, 8, 3)
    for (rows, labels), (pixels, expected) in zip(cached, images, strict=True):
        assert rows.shape == (8, 1, 1)
        assert torch.equal(labels, expected)
        assert torch.equal(stripes.train.images[rows.flatten().long()], pixels)
