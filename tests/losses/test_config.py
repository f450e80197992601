"""The options of a recipe, and the sentences that refuse wrong ones."""

import re
import subprocess
import sys
from dataclasses import FrozenInstanceError
from typing import Any

import pytest

from supcon.losses import LossConfig


def test_the_defaults_are_the_papers() -> None:
    config = LossConfig()
    assert (config.temperature, config.denominator, config.max_positives, config.rescale) == (
        0.1,
        "all",
        None,
        "temperature",
    )


def test_it_cannot_be_changed_nor_given_by_position() -> None:
    with pytest.raises(FrozenInstanceError):
        LossConfig().temperature = 0.2  # type: ignore[misc]
    with pytest.raises(TypeError):
        LossConfig(0.2)  # type: ignore[call-arg]


@pytest.mark.parametrize("temperature", [0, -0.1, float("nan"), float("inf"), "0.1", True, None])
def test_wrong_temperature(temperature: Any) -> None:
    with pytest.raises(ValueError, match=r"temperature must be a number above 0, got .*; the paper's best is 0\.1\."):
        LossConfig(temperature=temperature)


def test_wrong_denominator() -> None:
    expected = r'denominator must be one of "all", "one_positive", "negatives", got \'positives\'\.'
    with pytest.raises(ValueError, match=expected):
        LossConfig(denominator="positives")  # type: ignore[arg-type]


@pytest.mark.parametrize("max_positives", [0, -1, 1.5, True, "3"])
def test_wrong_cap(max_positives: Any) -> None:
    with pytest.raises(ValueError, match="max_positives must be a whole number from 1 up, or None for no cap, got"):
        LossConfig(max_positives=max_positives)


@pytest.mark.parametrize("rescale", [0, -0.07, float("nan"), "tau", None, True])
def test_wrong_rescale(rescale: Any) -> None:
    expected = 'rescale must be "none", "temperature" or a base temperature above 0 such as 0.07, got'
    with pytest.raises(ValueError, match=expected):
        LossConfig(rescale=rescale)


@pytest.mark.parametrize(
    ("values", "sentence"),
    [
        ({"queue_size": -1}, "loss.queue_size must be 0 (no queue) or more, got -1."),
        ({"queue_momentum": 1.0}, "loss.queue_momentum must be at least 0 and below 1, got 1.0."),
        ({"queue_momentum": -0.1}, "loss.queue_momentum must be at least 0 and below 1, got -0.1."),
    ],
)
def test_wrong_queue(values: dict[str, Any], sentence: str) -> None:
    with pytest.raises(ValueError, match=re.escape(sentence)):
        LossConfig(**values)


@pytest.mark.parametrize(("rescale", "factor"), [("none", 1.0), ("temperature", 0.2), (0.05, 4.0)])
def test_what_the_loss_is_multiplied_by(rescale: Any, factor: float) -> None:
    assert LossConfig(temperature=0.2, rescale=rescale).factor == pytest.approx(factor)


def run(code: str) -> str:
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_the_config_comes_without_torch() -> None:
    code = "import sys; from supcon.losses import LossConfig; LossConfig(); print('torch' in sys.modules)"
    assert run(code) == "False"


def test_the_losses_need_torch_and_nothing_else_of_the_package() -> None:
    code = """
import sys
for name in ("jaxtyping", "lightning", "torchvision", "timm", "numpy.testing", "sklearn", "rich", "jsonargparse"):
    sys.modules[name] = None
import torch
import supcon
before = set(sys.modules)
import supcon.losses as losses
for name in losses.__all__:
    getattr(losses, name)
losses.SupConLoss()(torch.randn(4, 2, 3), torch.tensor([0, 0, 1, 1]))
print(sorted({name.split(".")[1] for name in set(sys.modules) - before if name.startswith("supcon.")}))
"""
    assert run(code) == "['losses']"


def test_an_unknown_name_is_an_attribute_error() -> None:
    import supcon.losses

    assert set(dir(supcon.losses)) == set(supcon.losses.__all__)
    with pytest.raises(AttributeError, match=r"module 'supcon\.losses' has no attribute 'nothing'"):
        supcon.losses.nothing  # noqa: B018
