from collections.abc import Callable

import numpy as np
import torch

from supcon.data import picture
from supcon.serving import Model, export_network

PIXELS = np.random.default_rng(0).integers(0, 256, (3, 3, 20, 30), dtype=np.uint8)


@torch.inference_mode()
def test_every_preprocessing_gives_the_outputs_of_the_model(make_model: Callable[..., Model]) -> None:
    model = make_model()
    pictures = [picture(image) for image in PIXELS]
    prepared = model.prepare(pictures)
    mean, std = (torch.tensor(values).view(-1, 1, 1) for values in (model.card.mean, model.card.std))
    inputs = {"none": (prepared / 255 - mean) / std, "normalize": prepared, "resize": torch.from_numpy(PIXELS)}
    for preprocessing, given in inputs.items():
        probabilities, representation = export_network(model, "classifier", preprocessing)(given)  # type: ignore[arg-type]
        np.testing.assert_allclose(probabilities, model.predict_proba(pictures), atol=1e-6)
        np.testing.assert_allclose(representation, model.embed(pictures), atol=1e-6)


def test_the_encoder_alone_has_one_output(make_model: Callable[..., Model]) -> None:
    network = export_network(make_model(), "encoder", "resize")
    assert network.output_names == ["representation"]
    assert [output.shape for output in network(torch.from_numpy(PIXELS))] == [(3, 32)]
