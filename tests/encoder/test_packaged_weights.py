import hashlib
from dataclasses import replace

import numpy as np
import pytest
import timm
import torch
from PIL import Image, ImageOps
from sklearn.datasets import load_sample_images
from torch import Tensor

from supcon.base.errors import WorkError
from supcon.encoder import packaged_weights
from supcon.encoder.encoder import make_encoder
from supcon.encoder.packaged_weights import PACKAGED, load_packaged

LITE = "tf_efficientnet_lite0"
PALACE, DAISY, HONEYCOMB = 698, 985, 599
"""Of ImageNet's classes, which have no dahlia: the networks see other things in the photograph of one."""
KNOWN = {"tf_efficientnet_lite0": [PALACE, DAISY], "tf_efficientnet_lite2": [PALACE, HONEYCOMB]}


def photographs() -> Tensor:
    """A palace in China and a flower, which scikit-learn carries."""
    fitted = [ImageOps.fit(Image.fromarray(pixels), (224, 224)) for pixels in load_sample_images().images]
    return torch.from_numpy(np.stack([np.asarray(image) for image in fitted])).permute(0, 3, 1, 2)


@pytest.mark.parametrize("name", PACKAGED)
def test_the_weights_give_known_predictions(name: str) -> None:
    network = timm.create_model(name).eval()
    load_packaged(network, name)
    with torch.inference_mode():
        found = network((photographs().float() - PACKAGED[name].mean) / PACKAGED[name].std)
    assert found.argmax(1).tolist() == KNOWN[name]


@pytest.mark.parametrize("name", PACKAGED)
def test_every_tensor_has_the_place_that_its_order_in_the_file_says(name: str) -> None:
    network = timm.create_model(name)
    load_packaged(network, name)
    in_order = packaged_weights._read(PACKAGED[name]).values()
    for (place, found), expected in zip(network.state_dict().items(), in_order, strict=True):
        assert torch.equal(found, expected), place


def test_a_pretrained_encoder_needs_no_network(monkeypatch: pytest.MonkeyPatch) -> None:
    def download(*_: object, **__: object) -> None:
        raise AssertionError("asked for a download")

    monkeypatch.setattr(timm.models._builder, "load_pretrained", download)
    encoder = make_encoder(
        f"timm:{LITE}", channels=3, image_size=64, mean=(127 / 255,) * 3, std=(128 / 255,) * 3, pretrained=True
    )
    with torch.inference_mode():
        palace, daisy = encoder.eval()(photographs())
    assert palace.norm() == pytest.approx(1, abs=1e-5)
    assert palace @ daisy < 0.5


def test_grey_images_give_what_coloured_copies_of_them_give() -> None:
    grey = torch.randint(256, (2, 1, 64, 64), generator=torch.Generator().manual_seed(0), dtype=torch.uint8)
    found = []
    for channels in (1, 3):
        mean, std = (127 / 255,) * channels, (128 / 255,) * channels
        encoder = make_encoder(
            f"timm:{LITE}", channels=channels, image_size=64, mean=mean, std=std, pretrained=True
        ).eval()
        with torch.inference_mode():
            found.append(encoder(grey.expand(-1, channels, -1, -1)))
    assert torch.allclose(found[0], found[1], atol=1e-4)


def test_another_file_than_the_published_one_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    expected = hashlib.sha256(b"others").hexdigest()
    monkeypatch.setitem(PACKAGED, LITE, replace(PACKAGED[LITE], sha256=expected))
    with pytest.raises(WorkError, match=rf"are not the published ones \(SHA-256 \w+, expected {expected}\); install"):
        load_packaged(timm.create_model(LITE), LITE)


def test_a_package_that_is_missing_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(PACKAGED, LITE, replace(PACKAGED[LITE], package="no_such_package"))
    with pytest.raises(WorkError, match=r"are not installed; run `pip install no_such_package`\.$"):
        load_packaged(timm.create_model(LITE), LITE)
