"""The micro-batch of fine-tuning, with an amount of free memory that is made up."""

import pytest
import torch

from supcon.base.errors import RequestError
from supcon.data import Split
from supcon.encoder import Encoder, make_encoder
from supcon.jobs.planning.activation_memory import activation_bytes, weight_bytes
from supcon.jobs.transfer_learning.config import TransferConfig
from supcon.jobs.transfer_learning.transfer_memory import fit_transfer_to_memory
from supcon.jobs.transfer_learning.transfer_task import Task

ROOM = "supcon.jobs.planning.fit_to_memory.available_memory"


def encoder(norm: str = "batch") -> Encoder:
    return make_encoder("small-resnet", channels=3, image_size=8, mean=(0.5,) * 3, std=(0.2,) * 3, width=8, norm=norm)  # type: ignore[arg-type]


def task(images: int) -> Task:
    def split(count: int) -> Split:
        return Split(images=torch.zeros(count, 3, 8, 8, dtype=torch.uint8), labels=torch.zeros(count, dtype=torch.long))

    return Task(
        name="x",
        classes=2,
        train=split(images),
        validation=split(10),
        test=split(10),
        image_size=8,
        metric="top1",
        fingerprint="",
    )


def give_room(monkeypatch: pytest.MonkeyPatch, images: float, encoder: Encoder) -> None:
    """Half of the free memory has room for so many images."""
    free = 2 * (weight_bytes(encoder) + images * activation_bytes(encoder, 3, 8)) + 1
    monkeypatch.setattr(ROOM, lambda: int(free))


def test_a_batch_that_fits_is_not_changed(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    config, network = TransferConfig(), encoder()
    give_room(monkeypatch, 256, network)
    assert fit_transfer_to_memory(network, task(300), config) == config
    give_room(monkeypatch, 50, network)
    assert fit_transfer_to_memory(network, task(40), config) == config, "a batch has at most all 50 images"
    assert capsys.readouterr().err == ""


def test_a_batch_that_does_not_fit_goes_through_in_parts_which_is_said(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    network = encoder()
    give_room(monkeypatch, 100, network)
    fitted = fit_transfer_to_memory(network, task(300), TransferConfig())
    assert fitted == TransferConfig(micro_batch=64)
    assert "20,000 steps of 256 (64 at a time)" in fitted.summary
    said = " ".join(capsys.readouterr().err.split())
    assert "A batch of 256 images of 8 pixels needs about" in said
    assert "batch norm uses the statistics of 64 images or fewer; --batch-size 64 takes whole" in said
    given = TransferConfig(micro_batch=128)
    assert fit_transfer_to_memory(network, task(300), given) == given
    linear = TransferConfig(protocol="linear")
    assert fit_transfer_to_memory(network, task(300), linear) == linear


def test_without_batch_norm_the_parts_give_the_same_step(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    network = encoder("group")
    give_room(monkeypatch, 100, network)
    assert fit_transfer_to_memory(network, task(300), TransferConfig()).micro_batch == 64
    said = " ".join(capsys.readouterr().err.split())
    assert "The step is that of the whole batch." in said


def test_the_smallest_part_is_taken_while_it_fits_into_all_memory_and_refused_otherwise(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    network = encoder()
    give_room(monkeypatch, 2, network)  # half of the memory; all of it has room for four
    assert fit_transfer_to_memory(network, task(300), TransferConfig()).micro_batch == 4
    monkeypatch.setattr(ROOM, lambda: 1000)
    with pytest.raises(RequestError, match=r"on 4 images of 8 pixels .* 0.0 GB are free; use --protocol linear"):
        fit_transfer_to_memory(network, task(300), TransferConfig())
