import pytest
import torch
from torch import Tensor

from supcon.base.errors import RequestError
from supcon.data.image_data import Split
from supcon.evaluation import (
    CORRUPTIONS,
    corrupt,
    corrupted_batches,
    corruption_measures,
    errors_of,
    expected_calibration_error,
    mean_corruption_error,
    mean_measures,
    run_as_baseline,
    scores_of_batches,
    top_k_accuracy,
)


def split(images: int = 11) -> Split:
    """Dark and light images: what `by_brightness` tells apart."""
    generator = torch.Generator().manual_seed(0)
    labels = torch.randint(2, (images,), generator=generator)
    pixels = torch.randint(60, 110, (images, 1, 10, 10), generator=generator) + 40 * labels.view(-1, 1, 1, 1)
    return Split(images=pixels.to(torch.uint8), labels=labels)


def by_brightness(images: Tensor) -> Tensor:
    light = (images.float().mean((1, 2, 3)) - 105) / 10
    return torch.stack([-light, light], dim=1)


@pytest.mark.parametrize("batch_size", [1, 4, 512])
def test_the_corrupted_split_is_the_same_for_every_batch_size(batch_size: int) -> None:
    data = split()
    batches = list(corrupted_batches(data, 8, "gaussian_noise", 4, seed=2, batch_size=batch_size))
    images, labels = (torch.cat(parts) for parts in zip(*batches, strict=True))
    assert torch.equal(images, corrupt(data.images[:, :, 1:9, 1:9], "gaussian_noise", 4, seed=2))
    assert torch.equal(labels, data.labels)


def test_every_severity_is_measured() -> None:
    data, done = split(), []

    def advance(steps: int, note: str = "") -> None:
        done.append(steps)

    names = ("gaussian_noise", "brightness")
    found = dict(
        corruption_measures(
            by_brightness,
            data,
            10,
            names=names,
            batch_size=4,
            advance=advance,
        )
    )
    assert len(found) == 2 * 5 * 2
    assert sum(done) == 2 * 5 * len(data)
    logits = by_brightness(corrupt(data.images[:], "brightness", 5))
    assert found["corruptions/brightness/5/top1"] == top_k_accuracy(logits, data.labels)
    assert found["corruptions/brightness/5/ece"] == pytest.approx(
        expected_calibration_error(logits.double().softmax(1), data.labels)
    )
    assert found["corruptions/brightness/5/top1"] < found["corruptions/brightness/1/top1"]


def test_errors_and_means_come_from_the_flat_names() -> None:
    measures = {"test/top1": 0.5, "corruptions/mean_top1": 0.1}
    for name, accuracy in (("fog", 0.8), ("snow", 0.4)):
        for severity in range(1, 6):
            measures[f"corruptions/{name}/{severity}/top1"] = accuracy - severity / 100
            measures[f"corruptions/{name}/{severity}/ece"] = severity / 10
    errors = errors_of(measures)
    assert list(errors) == ["fog", "snow"]
    assert errors["fog"] == pytest.approx([0.21, 0.22, 0.23, 0.24, 0.25])
    means = dict(mean_measures(measures))
    assert means["corruptions/mean_top1"] == pytest.approx(0.57)
    assert means["corruptions/mean_ece"] == pytest.approx(0.3)
    assert means["corruptions/severity_2/mean_top1"] == pytest.approx(0.58)
    assert means["corruptions/severity_5/mean_ece"] == pytest.approx(0.5)
    assert len(means) == 12


def test_extra_corruptions_are_not_in_the_mean_unless_they_are_alone() -> None:
    measures = {"corruptions/fog/1/top1": 0.8, "corruptions/spatter/1/top1": 0.2}
    assert dict(mean_measures(measures))["corruptions/mean_top1"] == 0.8
    del measures["corruptions/fog/1/top1"]
    assert dict(mean_measures(measures))["corruptions/severity_1/mean_top1"] == 0.2


def test_a_run_measured_against_itself_has_an_mce_of_one() -> None:
    errors = errors_of({f"corruptions/{n}/{s}/top1": 0.9 - s / 10 for n in CORRUPTIONS for s in range(1, 6)})
    assert mean_corruption_error(errors, run_as_baseline("itself", 0.05, errors)) == pytest.approx(1)


def test_no_measures_have_no_means() -> None:
    assert dict(mean_measures({"test/top1": 0.5})) == {}


def test_an_empty_set_is_refused() -> None:
    with pytest.raises(RequestError, match=r"^The data to evaluate on has no images; give other data\.$"):
        scores_of_batches(by_brightness, iter(()))
